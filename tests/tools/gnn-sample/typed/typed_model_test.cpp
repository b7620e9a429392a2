#include "tools/gnn-sample/typed/typed_model.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "libcore/base/rng.h"
#include "libcore/threading/num_threads.h"
#include "tools/gnn-sample/data/sparse_rows.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

using Table = std::vector<std::vector<double>>;
using Parameters = std::map<std::string, std::vector<double>>;

constexpr std::size_t kDense = 0, kEmbedded = 1, kSparse = 2;

TypedSchema small_schema() {
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
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;
  Tensor dense_, embedded_;
  SparseRows sparse_rows_;
};

Parameters parameters_of(TypedModel& model) {
  Document document;
  save_tensors(model.tensors(), document);
  Parameters all;
  for (const Tensor& tensor : document.tensors) {
    const auto values = tensor.as<float>();
    all[tensor.name].assign(values.begin(), values.end());
  }
  return all;
}

void add_product(const std::vector<double>& weights, const std::vector<double>& x, double factor,
                 std::vector<double>& y) {
  for (std::size_t o = 0; o < y.size(); ++o) {
    for (std::size_t i = 0; i < x.size(); ++i) y[o] += factor * weights[o * x.size() + i] * x[i];
  }
}

void normalize(const std::vector<double>& weight, const std::vector<double>& bias,
               std::vector<double>& y) {
  double mean = 0, variance = 0;
  for (const double x : y) mean += x / static_cast<double>(y.size());
  for (const double x : y) variance += (x - mean) * (x - mean) / static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = weight[i] * (y[i] - mean) / std::sqrt(variance + 1e-5) + bias[i];
  }
}

/// The formula in typed_model.h, in double precision.
Table plain_outputs(const TypedModel& model, const Parameters& p, const TypedInput& input,
                    std::vector<Table> rows) {
  const TypedSchema& schema = model.schema();
  for (std::size_t l = 0; l < input.layers.size(); ++l) {
    const TypedBlocks& blocks = input.layers[l];
    const bool last = l + 1 == input.layers.size();
    const std::string conv = "convs." + std::to_string(l) + ".";
    std::vector<Table> next(schema.nodes.size());
    for (std::size_t t = 0; t < schema.nodes.size(); ++t) {
      const std::string& type = schema.nodes[t].name;
      const auto root = p.find(conv + "root." + type + ".weight");
      if (root == p.end()) continue;
      for (std::uint32_t v = 0; v < blocks.targets[t]; ++v) {
        const auto bias = p.find(conv + "root." + type + ".bias");
        std::vector<double> y(root->second.size() / rows[t][v].size());
        if (bias != p.end()) y = bias->second;
        add_product(root->second, rows[t][v], 1, y);
        for (std::size_t r = 0; r < schema.relations.size(); ++r) {
          if (schema.relations[r].target != t) continue;
          const Block& block = blocks.relations[r];
          for (const std::uint32_t u : block.row(v)) {
            add_product(p.at(conv + "relation." + schema.relations[r].name + ".weight"),
                        rows[schema.relations[r].source][u], 1.0 / block.degree(v), y);
          }
        }
        const auto norm = p.find("norms." + std::to_string(l) + "." + type + ".weight");
        if (norm != p.end()) {
          normalize(norm->second, p.at("norms." + std::to_string(l) + "." + type + ".bias"), y);
        }
        for (double& x : y) x = last ? x : std::max(x, 0.0);
        next[t].push_back(y);
      }
    }
    rows = std::move(next);
  }
  return rows[schema.seeds];
}

GnnOptions small_options(NormKind norm) {
  GnnOptions options;
  options.kind = "rgcn";
  options.num_layers = 2;
  options.hidden = 4;
  options.dropout = 0;
  options.norm = norm;
  return options;
}

/// A sum of the outputs with different factors, whose gradient is these factors.
double factor_of(std::size_t row, std::size_t column) {
  return 0.5 + static_cast<double>(row) - 0.7 * static_cast<double>(column);
}

double weighted_sum(const Table& outputs) {
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

Passed run(TypedModel& model, const TypedInput& input, int threads) {
  set_num_threads(threads);
  model.prepare_training({});
  const auto room = model.make_room();
  const GnnPass pass{true, 3, 1};
  const MatrixView<const float> outputs = model.forward(input, pass, *room);
  Passed passed;
  model.output_gradient(*room).resize(outputs.rows, outputs.cols);
  for (std::size_t r = 0; r < outputs.rows; ++r) {
    passed.outputs.emplace_back(outputs.row_span(r).begin(), outputs.row_span(r).end());
    for (std::size_t c = 0; c < outputs.cols; ++c) {
      model.output_gradient(*room).view()(r, c) = static_cast<float>(factor_of(r, c));
    }
  }
  model.backward(input, pass, *room);
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

}  // namespace

TEST_CASE("outputs and gradients of networks of several types are those of the formula") {
  for (const bool bias : {true, false}) {
    const NormKind norm = bias ? NormKind::none : NormKind::layer;
    GnnOptions options = small_options(norm);
    options.bias = bias;
    // Many neighbours: products of the sources are made first.
    for (const std::uint32_t most_neighbors : {2U, 40U}) {
      CAPTURE(most_neighbors);
      const RandomTypedBatch batch(small_schema(), most_neighbors);
      TypedModel model(options, small_schema(), {12, 5, 9}, 3);
      model.randomize(11);
      const std::vector<Table> rows = {batch.rows(0), batch.rows(1), batch.rows(2)};
      const Passed passed = run(model, batch.input, 1);
      Parameters parameters = parameters_of(model);
      const auto sum_with = [&](double& parameter, double change) {
        const double before = std::exchange(parameter, parameter + change);
        const double sum = weighted_sum(plain_outputs(model, parameters, batch.input, rows));
        parameter = before;
        return sum;
      };
      const Table expected = plain_outputs(model, parameters, batch.input, rows);
      REQUIRE(passed.outputs.size() == expected.size());
      for (std::size_t r = 0; r < expected.size(); ++r) {
        for (std::size_t c = 0; c < expected[r].size(); ++c) {
          CHECK(passed.outputs[r][c] == doctest::Approx(expected[r][c]).epsilon(1e-4));
        }
      }
      REQUIRE(passed.gradients.size() == parameters.size());
      for (auto& parameter : parameters) {
        const std::string& name = parameter.first;
        std::vector<double>& values = parameter.second;
        CAPTURE(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double slope = (sum_with(values[i], 1e-5) - sum_with(values[i], -1e-5)) / 2e-5;
          CHECK(passed.gradients.at(name)[i] == doctest::Approx(slope).epsilon(1e-3));
        }
      }
    }
  }
}

TEST_CASE("the gradient of an embedding is the slope of the outputs by its rows") {
  const RandomTypedBatch batch(small_schema());
  TypedModel model(small_options(NormKind::layer), small_schema(), {12, 5, 9}, 3);
  model.randomize(12);
  const Passed passed = run(model, batch.input, 1);
  const Parameters parameters = parameters_of(model);
  std::vector<Table> rows = {batch.rows(0), batch.rows(1), batch.rows(2)};
  REQUIRE(passed.input_gradient.size() == rows[kEmbedded].size());
  for (std::size_t r = 0; r < rows[kEmbedded].size(); ++r) {
    for (std::size_t c = 0; c < rows[kEmbedded][r].size(); ++c) {
      const auto sum_with = [&](double change) {
        std::vector<Table> changed = rows;
        changed[kEmbedded][r][c] += change;
        return weighted_sum(plain_outputs(model, parameters, batch.input, std::move(changed)));
      };
      const double slope = (sum_with(1e-5) - sum_with(-1e-5)) / 2e-5;
      CHECK(passed.input_gradient[r][c] == doctest::Approx(slope).epsilon(1e-3));
    }
  }
}

TEST_CASE("networks of several types have the same bits for any number of threads") {
  const RandomTypedBatch batch(small_schema(), 4, 200);
  GnnOptions options = small_options(NormKind::layer);
  options.dropout = 0.5F;
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

TEST_CASE("types that no output depends on have no parameters") {
  TypedSchema schema = small_schema();
  schema.relations.resize(2);  // embedded reads dense, dense reads embedded
  schema.nodes.push_back({"far", 4});
  GnnOptions options = small_options(NormKind::none);
  TypedModel model(options, schema, {12, 5, 9, 4}, 3);
  CHECK(model.reads(kDense));
  CHECK(model.reads(kEmbedded));
  CHECK(!model.reads(kSparse));
  CHECK(!model.reads(3));
  std::vector<std::string> names;
  for (const ParameterTensor& tensor : model.tensors()) names.push_back(tensor.name);
  CHECK(names == std::vector<std::string>{
                     "convs.0.root.dense.weight", "convs.0.root.dense.bias",
                     "convs.0.root.embedded.weight", "convs.0.root.embedded.bias",
                     "convs.0.relation.dense:a:embedded.weight",
                     "convs.0.relation.embedded:b:dense.weight", "convs.1.root.embedded.weight",
                     "convs.1.root.embedded.bias", "convs.1.relation.dense:a:embedded.weight"});
  // 4 hidden units and 3 outputs; biases are no part of it.
  const std::uint64_t weights = (12 + 5 + 12 + 5) * 4 + (4 + 4) * 3;
  CHECK(TypedModel::count_weights(options, schema, {12, 5, 9, 4}, 3) == weights);
  CHECK(model.num_parameters() == weights + 4 + 4 + 3);
}
