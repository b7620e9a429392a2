#include "tools/gnn-sample/model/typed_model_file.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

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
  if (kind != "rgcn") options.heads = 2;
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
  for (const char* kind : {"rgat", "hgt"}) {
    const Document document = stored_typed_model(kind);
    StoredTypedModel read = load_typed_model(document, "FILE", Precision::f32);
    CHECK(read.model->options().heads == 2);
    CHECK(read.model->num_parameters() > 0);
    Document again;
    save_typed_model(read, TypedInputs(), again);
    REQUIRE(again.tensors.size() == document.tensors.size());
    for (std::size_t i = 0; i < again.tensors.size(); ++i) {
      CHECK(again.tensors[i].name == document.tensors[i].name);
      CHECK(std::ranges::equal(again.tensors[i].as<float>(), document.tensors[i].as<float>()));
    }
  }
}

TEST_CASE("damaged transformers for several types are refused with the place") {
  const Document whole = stored_typed_model("hgt");
  const std::vector<std::array<std::string, 3>> damages = {
      {"gnn.heads", "200", "65 FILE: a network of 4 hidden units, 3 outputs and these types"},
      {"gnn.hidden", "60000", "65 FILE: a network of 60000 hidden units"},
      {"gnn.heads", "1", "65 FILE: tensor 'convs."},
      {"gnn.layers", "1", "65 FILE: there is no tensor 'convs.2.root."},
      {"gnn.output_heads", "2", "65 FILE: metadata 'gnn.output_heads' is '2', which goes"},
      {"gnn.norm", "batch", "65 FILE: metadata 'gnn.norm' is 'batch', which goes"},
      {"gnn.residual", "true", "65 FILE: metadata 'gnn.residual' is 'true', which goes"},
      {"gnn.types", "paper 5\nauthor 6\nauthor:writes:paper", "65 FILE: tensor 'convs."}};
  for (const std::array<std::string, 3>& damage : damages) {
    Document document = stored_typed_model("hgt");
    document.metadata[damage[0]] = damage[1];
    const std::string error = error_of_typed(document);
    CAPTURE(error);
    CHECK(error.starts_with(damage[2]));
  }
  for (const Tensor& tensor : whole.tensors) {
    Document document = stored_typed_model("hgt");
    const std::string name = tensor.name;
    tensor_of(document, name).name = "other";
    CHECK(error_of_typed(document).find(name) != std::string::npos);
    document = stored_typed_model("hgt");
    tensor_of(document, name).shape.push_back(1);
    CHECK(error_of_typed(document).find(name) != std::string::npos);
  }
}

TEST_CASE("a stored network says that it reads the weights of edges, if it does") {
  Document document = stored_typed_model("rgcn");
  CHECK(!document.metadata.contains("gnn.edge_weights"));
  document.metadata["gnn.edge_weights"] = "true";
  StoredTypedModel read = load_typed_model(document, "FILE", Precision::f32);
  CHECK(read.model->options().edge_weights);
  Document again;
  save_typed_model(read, TypedInputs(), again);
  CHECK(again.metadata.at("gnn.edge_weights") == "true");
  for (const char* kind : {"rgat", "hgt"}) {
    document = stored_typed_model(kind);
    document.metadata["gnn.edge_weights"] = "true";
    CHECK(error_of_typed(document).starts_with(
        "65 FILE: metadata 'gnn.edge_weights' is 'true', which goes with --architecture sage"));
  }
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
