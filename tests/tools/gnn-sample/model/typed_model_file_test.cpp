#include "tools/gnn-sample/model/typed_model_file.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// A model of authors who write papers, as train saves it.
Document stored_typed_model(const std::string& kind) {
  GnnOptions options;
  options.kind = kind;
  options.num_layers = 2;
  options.hidden = 4;
  if (kind == "rgat") options.heads = 2;
  TypedSchema schema;
  schema.nodes = {{"paper", 5}, {"author", 6}};
  schema.relations = {{"author:writes:paper", 1, 0}, {"paper:by:author", 0, 1}};
  StoredTypedModel stored;
  stored.fanouts = "1,1";
  stored.embedding = 3;
  stored.feature_columns = {"", ""};
  stored.model = std::make_unique<TypedModel>(options, schema, std::vector<std::size_t>{5, 6}, 3);
  stored.model->randomize(1);
  Document document;
  save_typed_model(stored, TypedInputs(), document);
  return document;
}

std::string error_of_typed(const Document& document) {
  return error_of([&] { load_typed_model(document, "FILE", Precision::f32); });
}

Tensor& tensor_of(Document& document, const std::string& name) {
  const auto found = std::ranges::find(document.tensors, name, &Tensor::name);
  REQUIRE(found != document.tensors.end());
  return *found;
}

}  // namespace

TEST_CASE("a stored network for several types is read again, with its heads") {
  CHECK(error_of_typed(stored_typed_model("rgcn")) == "no error");
  StoredTypedModel read = load_typed_model(stored_typed_model("rgat"), "FILE", Precision::f32);
  CHECK(read.model->options().heads == 2);
  CHECK(read.model->num_parameters() > 0);
}

TEST_CASE("damaged networks for several types are refused with the place") {
  Document document = stored_typed_model("rgcn");
  document.metadata["gnn.heads"] = "2";
  CHECK(error_of_typed(document).starts_with(
      "65 FILE: metadata 'gnn.heads' is '2', which goes with --architecture gat"));
  document = stored_typed_model("rgat");
  document.metadata["gnn.heads"] = "200";
  CHECK(
      error_of_typed(document).starts_with("65 FILE: a network of 4 hidden units, 3 outputs and "
                                           "these types has "));
  document = stored_typed_model("rgat");
  document.metadata["gnn.heads"] = "1";
  CHECK(error_of_typed(document).starts_with("65 FILE: tensor 'convs.0."));
  document = stored_typed_model("rgat");
  document.metadata["gnn.model"] = "rgcn";
  document.metadata["gnn.heads"] = "1";
  document.metadata["gnn.hidden"] = "8";
  CHECK(error_of_typed(document) ==
        "65 FILE: tensor 'convs.0.attention.author:writes:paper.weight' is of none of the types in "
        "metadata gnn.types");
  document = stored_typed_model("rgat");
  tensor_of(document, "convs.0.query.author:writes:paper.weight").name = "other";
  CHECK(error_of_typed(document).starts_with("65 FILE: "));
  CHECK(error_of_typed(document).find("convs.0.query.author:writes:paper.weight") !=
        std::string::npos);
  document = stored_typed_model("rgat");
  document.metadata["gnn.model"] = "gat";
  CHECK(error_of_typed(document).starts_with("65 FILE: metadata 'gnn.model' is 'gat' beside"));
}
