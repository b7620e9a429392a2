#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/rng.h"
#include "libcore/threading/num_threads.h"
#include "tests/tools/gnn-sample/typed/plain_transformer.h"
#include "tools/gnn-sample/data/sparse_rows.h"
#include "tools/gnn-sample/typed/typed_model.h"

/// A small network for several types, a mini-batch for it, and its formulas in double precision.
namespace frugal::gnn::typed_test {

/// The pass of training in all tests.
constexpr GnnPass kPass{true, 3, 1};
constexpr std::size_t kDense = 0, kEmbedded = 1, kSparse = 2;

inline TypedSchema small_schema() {
  TypedSchema schema;
  schema.nodes = {{"dense", 12}, {"embedded", 0}, {"sparse", 9}};
  schema.relations = {{"dense:a:embedded", kDense, kEmbedded},
                      {"embedded:b:dense", kEmbedded, kDense},
                      {"embedded:c:embedded", kEmbedded, kEmbedded},
                      {"sparse:d:embedded", kSparse, kEmbedded},
                      {"embedded:e:sparse", kEmbedded, kSparse}};
  schema.seeds = kEmbedded;
  return schema;
}

/// A mini-batch with random edges; some targets have no neighbours.
class RandomTypedBatch {
 public:
  /// scale: nodes are so many times as many.
  explicit RandomTypedBatch(const TypedSchema& schema, std::uint32_t most_neighbors = 4,
                            std::uint32_t scale = 1)
      : rng_(7) {
    std::vector<std::uint32_t> sizes[] = {{6, 9, 7}, {5, 6, 3}, {1, 4, 1}};
    for (auto& counts : sizes) {
      for (std::uint32_t& count : counts) count *= scale;
    }
    for (std::size_t l = 0; l < 2; ++l) {
      TypedBlocks& blocks = input.layers.emplace_back();
      blocks.sources = sizes[l];
      blocks.targets = sizes[l + 1];
      for (const RelationType& r : schema.relations) {
        auto& offsets = offsets_.emplace_back(1, 0U);
        auto& neighbors = neighbors_.emplace_back();
        for (std::uint32_t t = 0; t < blocks.targets[r.target]; ++t) {
          for (std::uint64_t e = rng_.below(most_neighbors + 1); e-- > 0;) {
            neighbors.push_back(static_cast<std::uint32_t>(rng_.below(blocks.sources[r.source])));
          }
          offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
        }
        edges_.push_back({blocks.targets[r.target], blocks.sources[r.source]});
      }
    }
    for (std::size_t l = 0; l < 2; ++l) {
      for (std::size_t r = 0; r < schema.relations.size(); ++r) {
        const std::size_t i = l * schema.relations.size() + r;
        input.layers[l].relations.push_back(
            {edges_[i].first, edges_[i].second, offsets_[i].data(), neighbors_[i].data()});
      }
    }
    dense_ = random_rows(sizes[0][0], 12, 0);
    embedded_ = random_rows(sizes[0][1], 5, 0);
    sparse_rows_ = to_sparse(random_rows(sizes[0][2], 9, 0.7));
    input.rows = {SourceRows(view_of(dense_)), SourceRows(view_of(embedded_)),
                  SourceRows(sparse_rows_.view(), {})};
  }

  /// Gives weights to the edges of every other relation. Some are 0, those of a target all.
  void add_weights() {
    for (std::size_t i = 0; i < neighbors_.size(); i += 2) {
      std::vector<float>& weights = weights_[i];
      for (std::size_t e = 0; e < neighbors_[i].size(); ++e) {
        const double weight = rng_.uniform(-1, 3);
        weights.push_back(weight < 0 ? 0 : static_cast<float>(weight));
      }
      const std::size_t relations = input.layers.front().relations.size();
      Block& block = input.layers[i / relations].relations[i % relations];
      std::fill(weights.begin() + block.offsets[block.targets - 1], weights.end(), 0.0F);
      block.weights = weights.data();
    }
  }

  /// Input rows of a type.
  Table rows(std::size_t type) const {
    const SourceRows& from = input.rows[type];
    const std::size_t count = input.layers.front().sources[type];
    RowStore copy;
    copy.resize(count, from.dim());
    from.copy(0, count, copy.view());
    Table table;
    for (std::size_t r = 0; r < count; ++r) {
      const auto row = copy.view().row_span(r);
      table.emplace_back(row.begin(), row.end());
    }
    return table;
  }

  TypedInput input;

 private:
  Tensor random_rows(std::size_t rows, std::size_t columns, double zeros) {
    Tensor tensor = Tensor::make("", Dtype::f32, {rows, columns});
    for (float& x : tensor.as<float>()) {
      x = rng_.uniform(0, 1) < zeros ? 0 : static_cast<float>(rng_.uniform(-1, 1));
    }
    return tensor;
  }
  static MatrixView<const float> view_of(const Tensor& tensor) {
    return {tensor.as<float>().data(), tensor.shape[0], tensor.shape[1]};
  }

  Rng rng_;
  std::vector<std::vector<std::uint32_t>> offsets_, neighbors_;
  std::map<std::size_t, std::vector<float>> weights_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  Tensor dense_, embedded_;
  SparseRows sparse_rows_;
};

inline Parameters parameters_of(TypedModel& model) {
  Document document;
  save_tensors(model.tensors(), document);
  Parameters all;
  for (const Tensor& tensor : document.tensors) {
    const auto values = tensor.as<float>();
    all[tensor.name].assign(values.begin(), values.end());
  }
  return all;
}

inline void add_product(const std::vector<double>& weights, const std::vector<double>& x,
                        double factor, std::vector<double>& y) {
  for (std::size_t o = 0; o < y.size(); ++o) {
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += factor * weights[o * x.size() + i] * x[i];
  }
}

inline void normalize(const std::vector<double>& weight, const std::vector<double>& bias,
                      std::vector<double>& y) {
  double mean = 0, variance = 0;
  for (const double x : y) mean += x / static_cast<double>(y.size());
  for (const double x : y) variance += (x - mean) * (x - mean) / static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = weight[i] * (y[i] - mean) / std::sqrt(variance + 1e-5) + bias[i];
  }
}

/// Weights of the edges of target v, [edges][heads], before dropout.
inline Table attention_of(const Parameters& p, const std::string& conv, const std::string& relation,
                          const Table& h, const std::vector<double>& target) {
  const std::vector<double>& query = p.at(conv + "query." + relation + ".weight");
  const std::vector<double>& source = p.at(conv + "attention." + relation + ".weight");
  const std::size_t heads = query.size() / target.size(), out = source.size() / heads;
  Table weights(h.size(), std::vector<double>(heads));
  for (std::size_t k = 0; k < heads; ++k) {
    double sum = 0;
    for (std::size_t e = 0; e < h.size(); ++e) {
      double z = 0;
      for (std::size_t i = 0; i < target.size(); ++i) z += query[k * target.size() + i] * target[i];
      for (std::size_t i = 0; i < out; ++i) z += source[k * out + i] * h[e][k * out + i];
      sum += weights[e][k] = std::exp(z > 0 ? z : 0.2 * z);
    }
    for (std::vector<double>& of_edge : weights) of_edge[k] /= sum;
  }
  return weights;
}

/// Dropout of the weights of a target's edges; row: number of the target among those with edges.
inline void drop_weights(const Dropout& dropout, std::size_t row, Table& weights) {
  std::vector<float> factors(weights.size() * weights.front().size(), 1);
  if (dropout.active()) dropout.apply(row, factors);
  std::size_t i = 0;
  for (std::vector<double>& of_edge : weights) {
    for (double& x : of_edge) x *= factors[i++];
  }
}

/// Networks of the formulas in typed_model.h, relation_mean.h, relation_attention.h and
/// transformer_layer.h.
class PlainTyped {
 public:
  PlainTyped(const TypedModel& model, const TypedInput& input)
      : options_(model.options()), schema_(model.schema()), input_(input) {}

  /// Outputs of all types, in double precision.
  std::vector<Table> outputs(const Parameters& p, std::vector<Table> rows) const {
    if (options_.kind == "hgt") return transformed(p, std::move(rows));
    for (std::size_t l = 0; l < input_.layers.size(); ++l) {
      std::vector<Table> next(schema_.nodes.size());
      for (std::size_t t = 0; t < schema_.nodes.size(); ++t) next[t] = layer(p, l, t, rows);
      rows = std::move(next);
    }
    return rows;
  }

 private:
  std::vector<Table> transformed(const Parameters& p, std::vector<Table> rows) const {
    const std::size_t hops = input_.layers.size(), types = schema_.nodes.size();
    const auto map_all = [&](std::size_t layer, bool cut) {
      std::vector<Table> next(types);
      for (std::size_t t = 0; t < types; ++t) {
        const std::string name =
            "convs." + std::to_string(layer) + ".root." + schema_.nodes[t].name;
        const bool is_mapped = p.contains(name + ".weight");
        if (!is_mapped && layer > 0) continue;
        for (const std::vector<double>& x : rows[t]) {
          std::vector<double>& y = next[t].emplace_back(is_mapped ? plain_map(p, name, x) : x);
          for (double& number : y) number = cut ? std::max(number, 0.0) : number;
        }
      }
      rows = std::move(next);
    };
    map_all(0, true);
    for (std::size_t l = 0; l < hops; ++l) {
      const PlainTransformer layer(p, options_, schema_, input_.layers[l], l + 1);
      std::vector<Table> next(types);
      for (std::size_t t = 0; t < types; ++t) {
        if (rows[t].empty()) continue;
        const std::string norm = "norms." + std::to_string(l + 1) + "." + schema_.nodes[t].name;
        for (std::uint32_t v = 0; v < input_.layers[l].targets[t]; ++v) {
          std::vector<double>& y = next[t].emplace_back(layer.row(rows, t, v));
          if (p.contains(norm + ".weight")) {
            normalize(p.at(norm + ".weight"), p.at(norm + ".bias"), y);
          }
        }
      }
      rows = std::move(next);
    }
    map_all(hops + 1, false);
    return rows;
  }

  Table layer(const Parameters& p, std::size_t l, std::size_t t,
              const std::vector<Table>& rows) const {
    const std::string conv = "convs." + std::to_string(l) + ".";
    const std::string& type = schema_.nodes[t].name;
    const auto root = p.find(conv + "root." + type + ".weight");
    Table next;
    if (root == p.end()) return next;
    const bool last = l + 1 == input_.layers.size();
    const auto bias = p.find(conv + "root." + type + ".bias");
    const std::string norm = "norms." + std::to_string(l) + "." + type;
    for (std::uint32_t v = 0; v < input_.layers[l].targets[t]; ++v) {
      std::vector<double> y(root->second.size() / rows[t][v].size());
      if (bias != p.end()) y = bias->second;
      add_product(root->second, rows[t][v], 1, y);
      for (std::size_t r = 0; r < schema_.relations.size(); ++r) {
        if (schema_.relations[r].target == t) add_messages(p, l, r, v, rows, y);
      }
      if (p.contains(norm + ".weight")) normalize(p.at(norm + ".weight"), p.at(norm + ".bias"), y);
      for (double& x : y) {
        if (!last && x < 0) x = options_.activation == ActivationKind::elu ? std::expm1(x) : 0;
      }
      next.push_back(y);
    }
    return next;
  }

  void add_messages(const Parameters& p, std::size_t l, std::size_t r, std::uint32_t v,
                    const std::vector<Table>& rows, std::vector<double>& y) const {
    const RelationType& relation = schema_.relations[r];
    const Block& block = input_.layers[l].relations[r];
    const std::string conv = "convs." + std::to_string(l) + ".";
    const auto& map = p.at(conv + "relation." + relation.name + ".weight");
    if (block.degree(v) == 0) return;
    if (options_.kind == "rgcn") {
      double sum = 0;
      for (std::uint32_t e = block.offsets[v]; e < block.offsets[v + 1]; ++e) {
        sum += block.weights == nullptr ? 1 : static_cast<double>(block.weights[e]);
      }
      if (sum == 0) return;
      for (std::uint32_t e = block.offsets[v]; e < block.offsets[v + 1]; ++e) {
        const double weight = block.weights == nullptr ? 1 : static_cast<double>(block.weights[e]);
        add_product(map, rows[relation.source][block.neighbors[e]], weight / sum, y);
      }
      return;
    }
    Table h;
    for (const std::uint32_t u : block.row(v)) {
      const std::vector<double>& x = rows[relation.source][u];
      add_product(map, x, 1, h.emplace_back(map.size() / x.size()));
    }
    Table weights = attention_of(p, conv, relation.name, h, rows[relation.target][v]);
    std::size_t row = 0;
    for (std::uint32_t t = 0; t < v; ++t) row += block.degree(t) > 0;
    drop_weights(Dropout(options_.attention_dropout, kPass,
                         kAttentionStream + l * schema_.relations.size() + r),
                 row, weights);
    const std::size_t heads = weights.front().size(), out = h.front().size() / heads;
    const bool is_mean = y.size() != h.front().size();
    for (std::size_t e = 0; e < h.size(); ++e) {
      for (std::size_t i = 0; i < h[e].size(); ++i) {
        const double share = is_mean ? 1.0 / static_cast<double>(heads) : 1;
        y[is_mean ? i % out : i] += share * weights[e][i / out] * h[e][i];
      }
    }
  }

  const GnnOptions& options_;
  const TypedSchema& schema_;
  const TypedInput& input_;
};

inline GnnOptions small_options(NormKind norm) {
  GnnOptions options;
  options.kind = "rgcn";
  options.num_layers = 2;
  options.hidden = 4;
  options.dropout = 0;
  options.norm = norm;
  return options;
}

/// A sum of the outputs with different factors, whose gradient is these factors.
inline double factor_of(std::size_t row, std::size_t column) {
  return 0.5 + static_cast<double>(row) - 0.7 * static_cast<double>(column);
}

inline double weighted_sum(const Table& outputs) {
  double sum = 0;
  for (std::size_t r = 0; r < outputs.size(); ++r) {
    for (std::size_t c = 0; c < outputs[r].size(); ++c) sum += factor_of(r, c) * outputs[r][c];
  }
  return sum;
}

struct Passed {
  Table outputs;
  Parameters gradients;
  Table input_gradient;
};

inline Passed run(TypedModel& model, const TypedInput& input, int threads) {
  set_num_threads(threads);
  model.prepare_training({});
  const auto room = model.make_room();
  const MatrixView<const float> outputs = model.forward(input, kPass, *room);
  Passed passed;
  model.output_gradient(*room).resize(outputs.rows, outputs.cols);
  for (std::size_t r = 0; r < outputs.rows; ++r) {
    passed.outputs.emplace_back(outputs.row_span(r).begin(), outputs.row_span(r).end());
    for (std::size_t c = 0; c < outputs.cols; ++c) {
      model.output_gradient(*room).view()(r, c) = static_cast<float>(factor_of(r, c));
    }
  }
  model.backward(input, kPass, *room);
  for (const auto& [name, values] : total_gradients(model.tensors())) {
    passed.gradients[name].assign(values.begin(), values.end());
  }
  set_num_threads(0);
  const MatrixView<float> rows = model.input_gradient(*room, kEmbedded);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    passed.input_gradient.emplace_back(rows.row_span(r).begin(), rows.row_span(r).end());
  }
  return passed;
}

/// Checks outputs, all gradients of parameters and those of the embedding against the formula.
inline void check_against_formula(const GnnOptions& options, const RandomTypedBatch& batch,
                                  std::uint64_t seed, const TypedSchema& schema = small_schema(),
                                  const std::function<void(TypedModel&)>& prepare = {}) {
  TypedModel model(options, schema, {12, 5, 9}, 3);
  model.randomize(seed);
  if (prepare) prepare(model);
  const Passed passed = run(model, batch.input, 1);
  const PlainTyped plain(model, batch.input);
  Parameters parameters = parameters_of(model);
  std::vector<Table> rows = {batch.rows(0), batch.rows(1), batch.rows(2)};
  const Table expected = plain.outputs(parameters, rows)[kEmbedded];
  REQUIRE(passed.outputs.size() == expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (std::size_t c = 0; c < expected[r].size(); ++c) {
      CHECK(passed.outputs[r][c] == doctest::Approx(expected[r][c]).epsilon(1e-4));
    }
  }
  const auto slope = [&](double& x) {
    const auto sum_with = [&](double change) {
      const double before = std::exchange(x, x + change);
      const double sum = weighted_sum(plain.outputs(parameters, rows)[kEmbedded]);
      x = before;
      return sum;
    };
    return (sum_with(1e-5) - sum_with(-1e-5)) / 2e-5;
  };
  REQUIRE(passed.gradients.size() == parameters.size());
  for (auto& parameter : parameters) {
    const std::string& name = parameter.first;
    CAPTURE(name);
    for (std::size_t i = 0; i < parameter.second.size(); ++i) {
      CHECK(passed.gradients.at(name)[i] ==
            doctest::Approx(slope(parameter.second[i])).epsilon(1e-3));
    }
  }
  REQUIRE(passed.input_gradient.size() == rows[kEmbedded].size());
  for (std::size_t r = 0; r < rows[kEmbedded].size(); ++r) {
    for (std::size_t c = 0; c < rows[kEmbedded][r].size(); ++c) {
      CHECK(passed.input_gradient[r][c] ==
            doctest::Approx(slope(rows[kEmbedded][r][c])).epsilon(1e-3));
    }
  }
}

/// Checks that outputs and gradients are equal for one thread and for two.
inline void check_any_threads(const GnnOptions& options) {
  const RandomTypedBatch batch(small_schema(), 4, 200);
  const auto passed_by = [&](int threads) {
    TypedModel model(options, small_schema(), {12, 5, 9}, 3);
    model.randomize(13);
    return run(model, batch.input, threads);
  };
  const Passed one = passed_by(1), two = passed_by(2);
  CHECK(one.outputs == two.outputs);
  CHECK(one.gradients == two.gradients);
  CHECK(one.input_gradient == two.input_gradient);
}

}  // namespace frugal::gnn::typed_test
