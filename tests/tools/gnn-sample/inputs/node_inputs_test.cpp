#include "tools/gnn-sample/inputs/node_inputs.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/tools/gnn-sample/inputs/small_graph.h"
#include "tools/gnn-sample/inputs/degree_columns.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

Document with_features(bool sparse) {
  Document document = small_bare_graph();
  auto& tensors = document.tensors;
  if (!sparse) {
    tensors.push_back(
        Tensor::copy_of<float>("features", {4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
    return document;
  }
  document.metadata["graph.features"] = "5";
  tensors.push_back(Tensor::copy_of<std::uint64_t>("features.offsets", {5},
                                                   std::vector<std::uint64_t>{0, 1, 1, 3, 4}));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("features.columns", {4},
                                                   std::vector<std::uint32_t>{4, 0, 2, 1}));
  tensors.push_back(Tensor::copy_of<float>("features.values", {4}, std::vector<float>{1, 2, 3, 4}));
  return document;
}

InputSettings settings_of(const std::string& names, std::size_t size = 3) {
  return {.parts = *InputParts::parse(names), .size = size, .seed = 5};
}

/// A model's file: the embedding of nodes a to d, whose row v is v, 10 v, 100 v.
Document stored_embedding() {
  Document document = small_bare_graph();
  add_names(document, {"a", "b", "c", "d"});
  const StoredDocument file(document);
  StoredGraph graph = file.open();
  NodeInputs inputs(settings_of("embedding"));
  inputs.make(graph);
  Document model;
  inputs.save(model);
  const std::span<float> rows = model.at("input.embedding").as<float>();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = i / 3;
    rows[i] = static_cast<float>(row) * std::pow(10.0F, static_cast<float>(i % 3));
  }
  return model;
}

std::string load_error(const Document& model, std::size_t size = 3) {
  return error_of([&] { NodeInputs(settings_of("embedding", size)).load(model, "FILE"); });
}

}  // namespace

TEST_CASE("names of parts are read in any order, each once") {
  CHECK(InputParts::parse("embedding,features")->names() == "features,embedding");
  CHECK(InputParts::parse("degree")->names() == "degree");
  CHECK(InputParts::parse("features")->only_features());
  for (const char* wrong : {"", "degree,degree", "degrees", "degree,", "auto", "features;degree"}) {
    CHECK(!InputParts::parse(wrong));
  }
  CHECK(settings_of("features,degree,projection,embedding", 7).num_computed() ==
        kDegreeColumns + 14);
}

TEST_CASE("dense features stand before degrees and the embedding") {
  const StoredDocument file(with_features(false));
  StoredGraph graph = file.open();
  NodeInputs inputs(settings_of("features,degree,embedding"));
  inputs.make(graph);
  const FeatureView view = *graph.features();
  REQUIRE(view.dim == 2 + kDegreeColumns + 3);
  const std::vector<float> rows = numbers_of(view);
  for (std::size_t v = 0; v < 4; ++v) {
    const float* const row = rows.data() + v * view.dim;
    CHECK(row[0] == static_cast<float>(2 * v + 1));
    CHECK(row[1] == static_cast<float>(2 * v + 2));
    CHECK(row[2] ==
          doctest::Approx(std::log2(1.0 + graph.csr().degree(static_cast<NodeId>(v))) / 8));
    CHECK(row[view.dim - 1] != 0);
  }
  REQUIRE(inputs.trained() != nullptr);
  // A step is seen where the network reads.
  inputs.trained()->prepare_training({.kind = OptimizerKind::sgd});
  std::vector<float> gradient = {1, 1, 1};
  const std::vector<NodeId> nodes = {3};
  inputs.trained()->step(nodes, {gradient.data(), 1, 3}, 1);
  const std::vector<float> after = numbers_of(*graph.features());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool trained = i >= rows.size() - 3;
    CHECK(after[i] == doctest::Approx(rows[i] - (trained ? 1 : 0)));
  }
}

TEST_CASE("sparse features stay sparse beside a projection, and are dense beside an embedding") {
  const StoredDocument file(with_features(true));
  StoredGraph graph = file.open(), other = file.open();
  NodeInputs(settings_of("features,projection")).make(graph);
  const FeatureView view = *graph.features();
  CHECK(view.sparse());
  REQUIRE(view.dim == 5 + 3);
  CHECK(view.row_size(0) == 1 + 3);
  CHECK(view.row_columns(2)[0] == 0);
  CHECK(view.row_columns(2)[1] == 2);
  CHECK(view.row_columns(2)[2] == 5);
  std::vector<float> room;
  CHECK(view.row_values(2, room)[1] == 3);
  NodeInputs inputs(settings_of("features,embedding"));
  inputs.make(other);
  REQUIRE(!other.features()->sparse());
  CHECK(numbers_of(*other.features())[4] == 1);
  CHECK(numbers_of(*other.features())[2 * 8 + 2] == 3);
}

TEST_CASE("a part that the graph lacks is said") {
  const StoredDocument file(small_bare_graph());
  StoredGraph graph = file.open();
  const std::string error =
      error_of([&] { NodeInputs(settings_of("features,degree")).make(graph); });
  CHECK(error.find("the graph has no features, and the input of the model is features,degree") !=
        std::string::npos);
}

TEST_CASE("a stored embedding goes to the nodes of its names, and new ones get their neighbours'") {
  const Document model = stored_embedding();
  NodeInputs inputs(settings_of("embedding"));
  inputs.load(model, "FILE");
  Document document = small_bare_graph();
  add_names(document, {"c", "new", "newer", "b"});
  const StoredDocument file(document);
  StoredGraph graph = file.open();
  inputs.make(graph);
  CHECK(inputs.unknown_nodes() == 2);
  const std::vector<float> rows = numbers_of(*graph.features());
  // c is row 2 and b is row 1; "new" has an edge from c, "newer" from itself alone: the mean row.
  const float want[] = {2, 20, 200, 2, 20, 200, 1.5F, 15, 150, 1, 10, 100};
  for (std::size_t i = 0; i < 12; ++i) CHECK(rows[i] == doctest::Approx(want[i]));
}

TEST_CASE("a model keeps whether its nodes had names, whatever graph it serves") {
  Document document = small_bare_graph();
  const StoredDocument numbered(document);
  add_names(document, {"a", "b", "c", "d"});
  const StoredDocument named(document);
  StoredGraph with_numbers = numbered.open(), with_names = named.open();
  NodeInputs trained(settings_of("projection"));
  trained.make(with_names);
  CHECK(trained.settings().by_name);
  NodeInputs loaded(trained.settings());
  loaded.load(Document(), "FILE");
  loaded.make(with_numbers);
  CHECK(loaded.settings().by_name);
  NodeInputs other(settings_of("projection"));
  other.make(with_numbers);
  CHECK(!other.settings().by_name);
}

TEST_CASE("damaged embeddings are refused") {
  const auto damaged = [](const auto& change) {
    Document model = stored_embedding();
    change(model);
    return load_error(model);
  };
  CHECK(load_error(stored_embedding()) == "no error");
  CHECK(load_error(stored_embedding(), 4).starts_with("65 FILE: tensor 'input.embedding'"));
  CHECK(damaged([](Document& m) { m.tensors.erase(m.tensors.begin()); }) ==
        "65 FILE: tensor 'input.embedding' is missing, expected one row for each node");
  CHECK(damaged([](Document& m) { m.at("input.names.offsets").as<std::uint64_t>()[1] = 99; }) ==
        "65 FILE: tensor 'input.names.offsets' does not ascend from 0");
  CHECK(damaged([](Document& m) {
          m.at("input.names.offsets").as<std::uint64_t>()[4] = 99;
        }).starts_with("65 FILE: tensor 'input.names'"));
  CHECK(damaged([](Document& m) {
          m.tensors.push_back(
              Tensor::copy_of<std::uint64_t>("input.ids", {2}, std::vector<std::uint64_t>{1, 2}));
        }).starts_with("65 FILE: tensor 'input.ids'"));
}
