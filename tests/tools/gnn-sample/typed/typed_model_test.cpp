#include "tests/tools/gnn-sample/typed/plain_typed.h"

using namespace frugal;
using namespace frugal::gnn;
using namespace frugal::gnn::typed_test;

TEST_CASE("outputs and gradients of networks of several types are those of the formula") {
  for (const bool bias : {true, false}) {
    GnnOptions options = small_options(bias ? NormKind::none : NormKind::layer);
    options.bias = bias;
    // Many neighbours: products of the sources are made first.
    for (const std::uint32_t most_neighbors : {2U, 40U}) {
      CAPTURE(most_neighbors);
      check_against_formula(options, RandomTypedBatch(small_schema(), most_neighbors), 11);
    }
  }
}

TEST_CASE("means of relations whose edges have weights are weighted") {
  for (const std::uint32_t most_neighbors : {2U, 40U}) {
    CAPTURE(most_neighbors);
    RandomTypedBatch batch(small_schema(), most_neighbors);
    batch.add_weights();
    check_against_formula(small_options(NormKind::none), batch, 11);
  }
}

TEST_CASE("networks of several types have the same bits for any number of threads") {
  GnnOptions options = small_options(NormKind::layer);
  options.dropout = 0.5F;
  check_any_threads(options);
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
