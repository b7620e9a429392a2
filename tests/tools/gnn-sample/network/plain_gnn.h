#pragma once
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/tools/gnn-sample/network/random_batch.h"

// The models again in plain double, from their formulas and the tensors of a file.
namespace frugal::gnn {

using PlainRows = std::vector<std::vector<double>>;
using PlainParameters = std::map<std::string, std::vector<double>>;

inline PlainParameters plain_parameters(GnnModel& model) {
  Document document;
  model.save(document);
  PlainParameters all;
  for (const Tensor& tensor : document.tensors) {
    const std::span<const float> values = tensor.as<float>();
    all[tensor.name].assign(values.begin(), values.end());
  }
  return all;
}

class PlainGnn {
 public:
  PlainGnn(const GnnOptions& options, const PlainParameters& parameters, const GnnPass& pass)
      : o_(options), p_(parameters), pass_(pass) {}

  /// The outputs of the seeds.
  PlainRows forward(const RandomBatch& batch) const {
    PlainRows x;
    const GnnBatch view = batch.view();
    for (std::size_t s = 0; s < view.blocks.front().sources; ++s) x.push_back(batch.row(s));
    if (o_.kind == "sage-ri") return inception(view, x);
    const std::size_t layers = o_.num_layers + o_.head_layers;
    drop(o_.input_dropout, place_of(layers - 1) + 1, x);
    for (std::size_t l = 0; l < layers; ++l) {
      const bool conv = l < o_.num_layers;
      const std::string number = std::to_string(conv ? l : l - o_.num_layers);
      x = conv ? convolve(view, l, x) : dense("lins." + number + ".", x);
      if (l + 1 == layers) break;
      const bool gin = o_.kind == "gin";
      if (o_.batch_norm && !gin) normalize((conv ? "bns." : "lin_bns.") + number, x);
      activate(x);
      if (!gin || !conv || o_.head_layers == 0) drop(o_.dropout, place_of(l), x);
    }
    return x;
  }

  std::vector<double> product(const std::string& weight, const std::vector<double>& x) const {
    const std::vector<double>& w = p_.at(weight);
    std::vector<double> y(w.size() / x.size());
    for (std::size_t o = 0; o < y.size(); ++o) {
      for (std::size_t i = 0; i < x.size(); ++i) y[o] += w[o * x.size() + i] * x[i];
    }
    return y;
  }
  void add(const std::string& bias, std::vector<double>& y) const {
    if (!p_.contains(bias)) return;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += p_.at(bias)[i];
  }

 private:
  void activate(PlainRows& x) const {
    for (auto& row : x) {
      for (double& v : row) v = activated(v);
    }
  }

  PlainRows inception(const GnnBatch& batch, PlainRows x) const {
    drop(o_.input_dropout, o_.num_layers + 2, x);
    PlainRows joined(x.begin(), x.begin() + batch.blocks.back().targets);
    for (std::size_t l = 0; l < o_.num_layers; ++l) {
      const std::string number = std::to_string(l);
      PlainRows y = convolve(batch, l, x);
      if (o_.batch_norm) normalize("bns." + number, y);
      activate(y);
      drop(o_.dropout, l, y);
      for (std::size_t t = 0; t < y.size(); ++t) {
        const std::string shortcut = "res_linears." + number + ".";
        const bool widens = p_.contains(shortcut + "weight");
        add_times(1, widens ? product(shortcut + "weight", x[t]) : x[t], y[t]);
        add(shortcut + "bias", y[t]);
      }
      for (std::size_t t = 0; t < joined.size(); ++t) {
        joined[t].insert(joined[t].end(), y[t].begin(), y[t].end());
      }
      x = y;
    }
    return dense("mlp.lins.1.", dense("mlp.lins.0.", joined));
  }

  /// Among the model's layers, of which each convolution of gin is two.
  std::size_t place_of(std::size_t layer) const {
    return o_.kind == "gin" ? layer + std::min(layer + 1, o_.num_layers) : layer;
  }

  static void add_times(double a, const std::vector<double>& x, std::vector<double>& y) {
    y.resize(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
  }

  PlainRows dense(const std::string& name, const PlainRows& x) const {
    PlainRows y;
    for (const auto& row : x) {
      y.push_back(product(name + "weight", row));
      add(name + "bias", y.back());
    }
    return y;
  }

  PlainRows convolve(const GnnBatch& batch, std::size_t l, const PlainRows& x) const {
    const std::string name = "convs." + std::to_string(l) + ".";
    const Block& block = batch.blocks[l];
    if (o_.kind == "gcn") return gcn(name, block, batch.degrees, x);
    if (o_.kind == "gin") return gin(name, block, x);
    if (o_.kind == "gat") return gat(l, block, x);
    return sage(name, block, x);
  }

  PlainRows gcn(const std::string& name, const Block& block, std::span<const std::uint32_t> degrees,
                const PlainRows& x) const {
    PlainRows y;
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      std::vector<double> sum(x[0].size());
      const double d = degrees[t] + 1.0;
      const auto row = block.row(t);
      const auto drawn = std::count_if(row.begin(), row.end(), [t](auto j) { return j != t; });
      for (const std::uint32_t j : row) {
        if (j == t) continue;
        const double stands_for = static_cast<double>(degrees[t]) / static_cast<double>(drawn);
        add_times(stands_for / std::sqrt(d * (degrees[j] + 1.0)), x[j], sum);
      }
      add_times(1 / d, x[t], sum);
      y.push_back(product(name + "lin.weight", sum));
      add(name + "bias", y.back());
    }
    return y;
  }

  PlainRows gin(const std::string& name, const Block& block, const PlainRows& x) const {
    PlainRows y;
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      std::vector<double> sum(x[0].size());
      for (const std::uint32_t j : block.row(t)) add_times(1, x[j], sum);
      add_times(1 + p_.at(name + "eps")[0], x[t], sum);
      y.push_back(product(name + "nn.0.weight", sum));
      add(name + "nn.0.bias", y.back());
    }
    if (o_.batch_norm) normalize(name + "nn.1", y);
    for (auto& row : y) {
      for (double& v : row) v = activated(v);
    }
    return dense(name + "nn.3.", y);
  }

  static std::vector<double> largest(std::span<const std::uint32_t> neighbors, const PlainRows& x) {
    std::vector<double> y(x[0].size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      for (std::size_t n = 0; n < neighbors.size(); ++n) {
        y[i] = n == 0 ? x[neighbors[n]][i] : std::max(y[i], x[neighbors[n]][i]);
      }
    }
    return y;
  }

  PlainRows sage(const std::string& name, const Block& block, const PlainRows& x) const {
    PlainRows y;
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      std::vector<double> mean(x[0].size());
      for (const std::uint32_t j : block.row(t)) add_times(1.0 / block.degree(t), x[j], mean);
      if (o_.aggregate == SageAggregate::max) mean = largest(block.row(t), x);
      y.push_back(product(name + "lin_r.weight", x[t]));
      add_times(1, product(name + "lin_l.weight", mean), y.back());
      add(name + "lin_l.bias", y.back());
    }
    return y;
  }

  PlainRows gat(std::size_t l, const Block& block, const PlainRows& x) const {
    const std::string name = "convs." + std::to_string(l) + ".";
    const bool last = l + 1 == o_.num_layers + o_.head_layers;
    const std::size_t heads = last ? o_.output_heads : o_.heads;
    const std::vector<double>&source = p_.at(name + "att_src"), &target = p_.at(name + "att_dst");
    const std::size_t out = source.size() / heads;
    PlainRows h, y;
    for (const auto& row : x) h.push_back(product(name + "lin.weight", row));
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      std::vector<std::uint32_t> neighbors(block.row(t).begin(), block.row(t).end());
      std::erase(neighbors, t);
      neighbors.push_back(t);
      std::vector<float> mask(neighbors.size() * heads, 1.0F);
      Dropout(o_.attention_dropout, pass_, kAttentionStream + l).apply(t, mask);
      std::vector<double> row(last ? out : heads * out);
      for (std::size_t k = 0; k < heads; ++k) {
        const auto logit = [&](std::uint32_t j) {
          double z = 0;
          for (std::size_t i = k * out; i < (k + 1) * out; ++i) {
            z += source[i] * h[j][i] + target[i] * h[t][i];
          }
          return z > 0 ? z : 0.2 * z;
        };
        double sum = 0;
        for (const std::uint32_t j : neighbors) sum += std::exp(logit(j));
        for (std::size_t n = 0; n < neighbors.size(); ++n) {
          const std::uint32_t j = neighbors[n];
          const double alpha = std::exp(logit(j)) / sum * static_cast<double>(mask[n * heads + k]);
          for (std::size_t i = 0; i < out; ++i) {
            row[last ? i : k * out + i] +=
                alpha * h[j][k * out + i] / (last ? static_cast<double>(heads) : 1.0);
          }
        }
      }
      add(name + "bias", row);
      y.push_back(row);
    }
    return y;
  }

  void normalize(const std::string& name, PlainRows& x) const {
    for (std::size_t i = 0; i < x[0].size(); ++i) {
      double mean = 0, variance = 0;
      for (const auto& row : x) mean += row[i] / static_cast<double>(x.size());
      for (const auto& row : x) {
        variance += (row[i] - mean) * (row[i] - mean) / static_cast<double>(x.size());
      }
      if (!pass_.training) {
        mean = p_.at(name + ".running_mean")[i];
        variance = p_.at(name + ".running_var")[i];
      }
      for (auto& row : x) {
        row[i] = p_.at(name + ".weight")[i] * (row[i] - mean) / std::sqrt(variance + 1e-5) +
                 p_.at(name + ".bias")[i];
      }
    }
  }

  double activated(double v) const {
    if (v > 0) return v;
    if (o_.activation == ActivationKind::relu) return 0;
    return o_.activation == ActivationKind::elu ? std::exp(v) - 1 : 0.01 * v;
  }

  /// The mask is what dropout makes of ones.
  void drop(float rate, std::uint64_t layer, PlainRows& x) const {
    const Dropout dropout(rate, pass_, layer);
    for (std::size_t r = 0; r < x.size(); ++r) {
      std::vector<float> ones(x[r].size(), 1.0F);
      dropout.apply(r, ones);
      for (std::size_t i = 0; i < x[r].size(); ++i) x[r][i] *= static_cast<double>(ones[i]);
    }
  }

  const GnnOptions& o_;
  const PlainParameters& p_;
  GnnPass pass_;
};

}  // namespace frugal::gnn
