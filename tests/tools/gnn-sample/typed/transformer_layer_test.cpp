#include "tools/gnn-sample/typed/transformer_layer.h"

#include "tests/tools/gnn-sample/typed/plain_typed.h"

using namespace frugal;
using namespace frugal::gnn;
using namespace frugal::gnn::typed_test;

namespace {

GnnOptions transformer_options(std::size_t heads, std::size_t hidden) {
  GnnOptions options = small_options(NormKind::none);
  options.kind = "hgt";
  options.heads = heads;
  options.hidden = hidden;
  return options;
}

/// Priors and gates that are not all 1, and weights so large that attention differs by edge.
void spread_parameters(TypedModel& model) {
  for (const NamedWeights& w : model.weights()) {
    const bool is_prior = w.name.find("prior.") != std::string::npos;
    const bool is_skip = w.name.find("skip.") != std::string::npos;
    const bool is_key =
        w.name.find("key.") != std::string::npos || w.name.find("query.") != std::string::npos;
    float sign = 1;
    for (std::size_t r = 0; r < w.weights->in(); ++r) {
      for (float& x : w.weights->values().row_span(r)) {
        if (is_prior) x += sign * 0.7F;
        if (is_skip) x = -0.4F;
        if (is_key) x *= 2;
        sign = -sign;
      }
    }
    w.weights->changed();
  }
}

}  // namespace

TEST_CASE("outputs and gradients of transformers for several types are those of the formula") {
  for (const std::uint32_t most_neighbors : {2U, 20U}) {
    CAPTURE(most_neighbors);
    const RandomTypedBatch batch(small_schema(), most_neighbors);
    check_against_formula(transformer_options(1, 4), batch, 21, small_schema(), spread_parameters);
    check_against_formula(transformer_options(3, 2), batch, 22, small_schema(), spread_parameters);
    GnnOptions options = transformer_options(2, 3);
    options.attention_dropout = 0.4F;
    options.norm = NormKind::layer;
    options.bias = false;
    check_against_formula(options, batch, 23, small_schema(), spread_parameters);
  }
}

TEST_CASE(
    "transformers compute the rows of nodes without an edge and of types without a relation") {
  check_against_formula(transformer_options(2, 2), RandomTypedBatch(small_schema(), 0), 24,
                        small_schema(), spread_parameters);
  TypedSchema schema = small_schema();
  schema.relations.pop_back();  // none leads to `sparse`
  check_against_formula(transformer_options(2, 2), RandomTypedBatch(schema, 4), 25, schema,
                        spread_parameters);
}

TEST_CASE("outputs and gradients of many rows, chunk by chunk, are those of the formula, too") {
  const RandomTypedBatch batch(small_schema(), 4, 60);
  TypedModel model(transformer_options(2, 3), small_schema(), {12, 5, 9}, 3);
  model.randomize(29);
  spread_parameters(model);
  const Passed passed = run(model, batch.input, 2);
  const PlainTyped plain(model, batch.input);
  const Parameters parameters = parameters_of(model);
  std::vector<Table> rows = {batch.rows(0), batch.rows(1), batch.rows(2)};
  const Table expected = plain.outputs(parameters, rows)[kEmbedded];
  REQUIRE(passed.outputs.size() == expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    for (std::size_t c = 0; c < expected[r].size(); ++c) {
      CHECK(std::abs(passed.outputs[r][c] - expected[r][c]) < 1e-4);
    }
  }
  // The slope of the sum of outputs in a random direction, of each parameter alone.
  Rng rng(30);
  for (const auto& parameter : parameters) {
    std::vector<double> direction(parameter.second.size());
    double slope = 0, size = 0;
    for (std::size_t i = 0; i < direction.size(); ++i) {
      direction[i] = rng.uniform(-1, 1);
      slope += direction[i] * passed.gradients.at(parameter.first)[i];
      size += std::abs(direction[i] * passed.gradients.at(parameter.first)[i]);
    }
    const auto sum_at = [&](double step) {
      Parameters moved = parameters;
      for (std::size_t i = 0; i < direction.size(); ++i) {
        moved[parameter.first][i] += step * direction[i];
      }
      return weighted_sum(plain.outputs(moved, rows)[kEmbedded]);
    };
    CAPTURE(parameter.first);
    CHECK(std::abs((sum_at(1e-5) - sum_at(-1e-5)) / 2e-5 - slope) < 1e-3 * size);
  }
}

TEST_CASE("embeddings as wide as the layers of a transformer have no map") {
  // The embedding has 5 numbers.
  const GnnOptions options = transformer_options(1, 5);
  check_against_formula(options, RandomTypedBatch(small_schema(), 4), 28, small_schema(),
                        spread_parameters);
  TypedModel model(options, small_schema(), {12, 5, 9}, 3);
  std::uint64_t numbers = 0;
  for (const ParameterTensor& tensor : model.tensors()) {
    CHECK(tensor.name != "convs.0.root.embedded.weight");
    const bool is_bias = tensor.name.find(".bias") != std::string::npos;
    numbers += is_bias ? 0 : num_elements(tensor.shape);
  }
  CHECK(TypedModel::count_weights(options, small_schema(), {12, 5, 9}, 3) == numbers);
}

TEST_CASE("the only neighbour of a node has the weight 1 among all relations") {
  TypedSchema schema = small_schema();
  schema.relations = {schema.relations[2]};
  const RandomTypedBatch batch(schema, 1);
  TypedModel model(transformer_options(2, 2), schema, {12, 5, 9}, 3);
  model.randomize(26);
  const Passed before = run(model, batch.input, 1);
  spread_parameters(model);
  for (const auto& gradient : before.gradients) {
    const bool is_of_weight = gradient.first.find("query.") != std::string::npos ||
                              gradient.first.find("attention.") != std::string::npos ||
                              gradient.first.find("prior.") != std::string::npos ||
                              gradient.first.find("key.") != std::string::npos;
    if (!is_of_weight) continue;
    for (const double x : gradient.second) CHECK(x == 0);
  }
}

TEST_CASE("transformers for several types have the same bits for any number of threads") {
  GnnOptions options = transformer_options(2, 4);
  options.norm = NormKind::layer;
  options.dropout = 0.5F;
  options.attention_dropout = 0.3F;
  check_any_threads(options);
}

TEST_CASE("dropout multiplies the rows of each layer of attention") {
  const RandomTypedBatch batch(small_schema(), 4);
  GnnOptions options = transformer_options(2, 2);
  TypedModel plain(options, small_schema(), {12, 5, 9}, 3);
  options.dropout = 0.99F;
  TypedModel dropped(options, small_schema(), {12, 5, 9}, 3);
  plain.randomize(27);
  dropped.randomize(27);
  const Passed without = run(plain, batch.input, 1), with = run(dropped, batch.input, 1);
  CHECK(without.outputs != with.outputs);
  const auto bias = with.gradients.find("convs.3.root.embedded.bias");
  REQUIRE(bias != with.gradients.end());
  CHECK(bias->second == without.gradients.at("convs.3.root.embedded.bias"));
  const auto room = dropped.make_room();
  const MatrixView<const float> outputs = dropped.forward(batch.input, {}, *room);
  for (std::size_t r = 0; r < outputs.rows; ++r) {
    for (std::size_t c = 0; c < outputs.cols; ++c) {
      CHECK(outputs(r, c) == doctest::Approx(without.outputs[r][c]));
    }
  }
}

TEST_CASE("transformers have parameters for the types and relations that outputs depend on") {
  TypedSchema schema = small_schema();
  schema.relations.resize(2);  // embedded reads dense, dense reads embedded
  const GnnOptions options = transformer_options(2, 3);
  TypedModel model(options, schema, {12, 5, 9}, 3);
  std::vector<std::string> names;
  for (const ParameterTensor& tensor : model.tensors()) {
    if (tensor.name.find(".bias") == std::string::npos) names.push_back(tensor.name);
  }
  CHECK(names == std::vector<std::string>{"convs.0.root.dense.weight",
                                          "convs.0.root.embedded.weight",
                                          "convs.1.key.dense.weight",
                                          "convs.1.value.dense.weight",
                                          "convs.1.query.dense.weight",
                                          "convs.1.output.dense.weight",
                                          "convs.1.skip.dense",
                                          "convs.1.key.embedded.weight",
                                          "convs.1.value.embedded.weight",
                                          "convs.1.query.embedded.weight",
                                          "convs.1.output.embedded.weight",
                                          "convs.1.skip.embedded",
                                          "convs.1.attention.dense:a:embedded.weight",
                                          "convs.1.message.dense:a:embedded.weight",
                                          "convs.1.prior.dense:a:embedded",
                                          "convs.1.attention.embedded:b:dense.weight",
                                          "convs.1.message.embedded:b:dense.weight",
                                          "convs.1.prior.embedded:b:dense",
                                          "convs.2.key.dense.weight",
                                          "convs.2.value.dense.weight",
                                          "convs.2.query.embedded.weight",
                                          "convs.2.output.embedded.weight",
                                          "convs.2.skip.embedded",
                                          "convs.2.attention.dense:a:embedded.weight",
                                          "convs.2.message.dense:a:embedded.weight",
                                          "convs.2.prior.dense:a:embedded",
                                          "convs.3.root.embedded.weight"});
  // 6 units in 2 heads, and 3 outputs; biases are no part of it.
  const std::uint64_t maps = (12 + 5) * 6 + 6 * 3, relation = 2 * 2 * 9 + 2;
  const std::uint64_t layers = (2 * 4 * 36 + 2 + 2 * relation) + (4 * 36 + 1 + relation);
  CHECK(TypedModel::count_weights(options, schema, {12, 5, 9}, 3) == maps + layers);
  CHECK(model.num_parameters() == maps + layers + 2 * 6 + 3 + (8 + 4) * 6);
}
