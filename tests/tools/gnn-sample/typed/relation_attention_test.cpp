#include "tools/gnn-sample/typed/relation_attention.h"

#include "tests/tools/gnn-sample/typed/plain_typed.h"

using namespace frugal;
using namespace frugal::gnn;
using namespace frugal::gnn::typed_test;

namespace {

GnnOptions attention_options(std::size_t heads, std::size_t output_heads) {
  GnnOptions options = small_options(NormKind::none);
  options.kind = "rgat";
  options.heads = heads;
  options.output_heads = output_heads;
  options.activation = ActivationKind::elu;
  return options;
}

}  // namespace

TEST_CASE("outputs and gradients of attention by relation are those of the formula") {
  for (const std::uint32_t most_neighbors : {2U, 40U}) {
    CAPTURE(most_neighbors);
    const RandomTypedBatch batch(small_schema(), most_neighbors);
    check_against_formula(attention_options(1, 1), batch, 11);
    check_against_formula(attention_options(2, 3), batch, 12);
    GnnOptions options = attention_options(3, 1);
    options.attention_dropout = 0.4F;
    options.norm = NormKind::layer;
    options.bias = false;
    check_against_formula(options, batch, 13);
  }
}

TEST_CASE("without an edge, attention leaves the rows of the nodes themselves") {
  const RandomTypedBatch batch(small_schema(), 0);
  check_against_formula(attention_options(2, 2), batch, 14);
}

TEST_CASE("the only neighbour of a node has the weight 1, whatever the attention") {
  const RandomTypedBatch batch(small_schema(), 1);
  TypedModel model(attention_options(2, 1), small_schema(), {12, 5, 9}, 3);
  model.randomize(15);
  const Passed before = run(model, batch.input, 1);
  for (const NamedWeights& w : model.weights()) {
    if (w.name.find("attention.") == std::string::npos) continue;
    const MatrixView<float> row = w.weights->values();
    for (std::size_t i = 0; i < row.cols; ++i) row(0, i) += 1;
    w.weights->changed();
  }
  CHECK(run(model, batch.input, 1).outputs == before.outputs);
  for (const auto& gradient : before.gradients) {
    if (gradient.first.find("attention.") == std::string::npos) continue;
    for (const double x : gradient.second) CHECK(x == 0);
  }
}

TEST_CASE("attention by relation has the same bits for any number of threads") {
  GnnOptions options = attention_options(2, 2);
  options.norm = NormKind::layer;
  options.dropout = 0.5F;
  options.attention_dropout = 0.3F;
  check_any_threads(options);
}

TEST_CASE("attention by relation has its parameters under the names of their relations") {
  TypedSchema schema = small_schema();
  schema.relations.resize(2);  // embedded reads dense, dense reads embedded
  const GnnOptions options = attention_options(2, 3);
  TypedModel model(options, schema, {12, 5, 9}, 3);
  std::vector<std::string> names;
  for (const ParameterTensor& tensor : model.tensors()) {
    if (tensor.name.find("root") == std::string::npos) names.push_back(tensor.name);
  }
  CHECK(names ==
        std::vector<std::string>{
            "convs.0.relation.dense:a:embedded.weight", "convs.0.attention.dense:a:embedded.weight",
            "convs.0.query.dense:a:embedded.weight", "convs.0.relation.embedded:b:dense.weight",
            "convs.0.attention.embedded:b:dense.weight", "convs.0.query.embedded:b:dense.weight",
            "convs.1.relation.dense:a:embedded.weight", "convs.1.attention.dense:a:embedded.weight",
            "convs.1.query.dense:a:embedded.weight"});
  // 2 heads of 4 units, and 3 of 3 outputs; biases are no part of it.
  const std::uint64_t roots = (12 + 5) * 8 + 8 * 3;
  const std::uint64_t relations = (12 + 5) * 8 + 2 * 8 + (12 + 5) * 2 + 8 * 9 + 9 + 8 * 3;
  CHECK(TypedModel::count_weights(options, schema, {12, 5, 9}, 3) == roots + relations);
  CHECK(model.num_parameters() == roots + relations + 8 + 8 + 3);
}
