#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tools/gnn-sample/typed/typed_model.h"

/// A layer of the Heterogeneous Graph Transformer by loops, in double precision.
namespace frugal::gnn::typed_test {

using Table = std::vector<std::vector<double>>;
using Parameters = std::map<std::string, std::vector<double>>;

inline double plain_gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

/// W x + b, with W and b of this name; W is [out, in].
inline std::vector<double> plain_map(const Parameters& p, const std::string& name,
                                     const std::vector<double>& x) {
  const std::vector<double>& weights = p.at(name + ".weight");
  const auto bias = p.find(name + ".bias");
  std::vector<double> y(weights.size() / x.size());
  for (std::size_t o = 0; o < y.size(); ++o) {
    if (bias != p.end()) y[o] = bias->second[o];
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += weights[o * x.size() + i] * x[i];
  }
  return y;
}

/// Rows of a layer for the targets of one type, by the formula in transformer_layer.h.
class PlainTransformer {
 public:
  PlainTransformer(const Parameters& parameters, const GnnOptions& options,
                   const TypedSchema& schema, const TypedBlocks& blocks, std::size_t layer)
      : p_(parameters),
        options_(options),
        schema_(schema),
        blocks_(blocks),
        layer_(layer),
        conv_("convs." + std::to_string(layer) + ".") {}

  std::vector<double> row(const std::vector<Table>& rows, std::size_t type, std::uint32_t v) const {
    const std::string& name = schema_.nodes[type].name;
    const std::vector<double>& x = rows[type][v];
    if (!p_.contains(conv_ + "skip." + name)) return x;
    const double gate = 1 / (1 + std::exp(-p_.at(conv_ + "skip." + name)[0]));
    std::vector<double> h = messages(rows, type, v);
    for (double& number : h) number = plain_gelu(number);
    std::vector<double> y = plain_map(p_, conv_ + "output." + name, h);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = gate * y[i] + (1 - gate) * x[i];
    return y;
  }

 private:
  /// x_k W_k for each head k. The tensor is [columns, heads * columns].
  std::vector<double> by_heads(const std::string& name, const std::vector<double>& x) const {
    const std::vector<double>& weights = p_.at(name);
    const std::size_t columns = options_.hidden;
    std::vector<double> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t o = 0; o < columns; ++o) {
        y[i / columns * columns + o] += x[i] * weights[o * x.size() + i];
      }
    }
    return y;
  }

  std::vector<double> messages(const std::vector<Table>& rows, std::size_t type,
                               std::uint32_t v) const {
    const std::size_t heads = options_.heads, columns = options_.hidden;
    const std::vector<double> query =
        plain_map(p_, conv_ + "query." + schema_.nodes[type].name, rows[type][v]);
    Table weights, values;  // of each edge: softmax numerators of the heads, and the message
    std::vector<double> sums(heads), h(heads * columns);
    for (std::size_t r = 0; r < schema_.relations.size(); ++r) {
      const RelationType& relation = schema_.relations[r];
      if (relation.target != type) continue;
      const std::string& source = schema_.nodes[relation.source].name;
      for (const std::uint32_t u : blocks_.relations[r].row(v)) {
        const std::vector<double>& x = rows[relation.source][u];
        const auto key = by_heads(conv_ + "attention." + relation.name + ".weight",
                                  plain_map(p_, conv_ + "key." + source, x));
        values.push_back(by_heads(conv_ + "message." + relation.name + ".weight",
                                  plain_map(p_, conv_ + "value." + source, x)));
        std::vector<double>& of_edge = weights.emplace_back(heads);
        for (std::size_t k = 0; k < heads; ++k) {
          double z = 0;
          for (std::size_t i = k * columns; i < (k + 1) * columns; ++i) z += key[i] * query[i];
          z *= p_.at(conv_ + "prior." + relation.name)[k] / std::sqrt(columns);
          sums[k] += of_edge[k] = std::exp(z);
        }
      }
    }
    const std::vector<float> kept = dropped(type, v, values.size() * heads);
    for (std::size_t e = 0; e < values.size(); ++e) {
      for (std::size_t i = 0; i < h.size(); ++i) {
        const std::size_t k = i / columns;
        h[i] += kept[e * heads + k] * weights[e][k] / sums[k] * values[e][i];
      }
    }
    return h;
  }

  /// Factors of dropout for the weights of v's edges.
  std::vector<float> dropped(std::size_t type, std::uint32_t v, std::size_t numbers) const {
    std::vector<float> factors(numbers, 1);
    const Dropout dropout(options_.attention_dropout, {true, 3, 1},
                          kAttentionStream + layer_ * schema_.nodes.size() + type);
    if (dropout.active()) dropout.apply(v, factors);
    return factors;
  }

  const Parameters& p_;
  const GnnOptions& options_;
  const TypedSchema& schema_;
  const TypedBlocks& blocks_;
  std::size_t layer_;
  std::string conv_;
};

}  // namespace frugal::gnn::typed_test
