#include "tools/gnn-sample/data/feature_array.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "libcore/embedding/embedding_methods.h"
#include "tests/support/text_file.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/formats/node_features.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::uint64_t kNumNodes = 40;
constexpr std::size_t kArrayDim = 6;

std::unique_ptr<Embedding> make_array(const char* method, std::uint64_t rows = kNumNodes) {
  EmbeddingOptions options;
  options.method = method;
  options.compression = 2;
  return make_embedding(TableSet({{"features", rows}}, kArrayDim), options, {});
}

/// A graph without edges.
Document graph_with(const Embedding& array) {
  Document document;
  document.metadata = {
      {"frugal.kind", "graph"}, {"graph.nodes", std::to_string(kNumNodes)}, {"graph.edges", "0"}};
  const std::vector<std::uint64_t> offsets(kNumNodes + 1);
  document.tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {kNumNodes + 1}, offsets));
  document.tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {0}, {}));
  array.save(document);
  return document;
}

std::vector<float> rows_of(const Embedding& array) {
  std::vector<std::uint32_t> all(kNumNodes);
  std::iota(all.begin(), all.end(), 0U);
  std::vector<float> rows(kNumNodes * kArrayDim);
  array.lookup_table(0, all.data(), kNumNodes, {rows.data(), kNumNodes, kArrayDim});
  return rows;
}

/// The error of opening the graph after `change`.
std::string feature_error(const std::function<void(Document&)>& change) {
  const auto array = make_array("robe");
  Document document = graph_with(*array);
  change(document);
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  std::string error = error_of([&] { StoredGraph graph(file.path()); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

}  // namespace

TEST_CASE("an array of features is the same from memory, mapped, compressed and saved again") {
  for (const char* method : {"robe", "hash", "multi", "qr", "full"}) {
    CAPTURE(method);
    const auto array = make_array(method);
    for (const char* suffix : {".safetensors", ".graph"}) {
      const TextFile file("", suffix), again("", suffix);
      write_document(file.path(), graph_with(*array));
      save_graph(again.path(), StoredGraph(file.path()).content());
      for (const Residence residence :
           {Residence::automatic, Residence::memory, Residence::mapped}) {
        if (residence == Residence::mapped && std::strcmp(suffix, ".graph") == 0) continue;
        for (const std::string& path : {file.path(), again.path()}) {
          const StoredGraph graph(path, residence);
          REQUIRE(graph.features());
          CHECK_FALSE(graph.features_are_mapped());
          CHECK(graph.features()->rows == kNumNodes);
          CHECK(graph.features()->dim == kArrayDim);
          REQUIRE(graph.features()->array != nullptr);
          CHECK(rows_of(*graph.features()->array) == rows_of(*array));
        }
      }
    }
  }
}

TEST_CASE("an array that does not fit the graph is refused with what was expected") {
  CHECK(feature_error([](Document& d) {
          d.metadata["embedding.tables"] = R"([{"name":"features","rows":41}])";
        }) == "65 FILE: the array of features has 41 rows, expected one for each of the 40 nodes");
  CHECK(feature_error([](Document& d) {
          d.metadata["embedding.tables"] = R"([{"name":"a","rows":20},{"name":"b","rows":20}])";
        }).starts_with("65 FILE: has 2 tables, a the first, expected one with a row for each"));
  CHECK(feature_error([](Document& d) {
          d.metadata["embedding.tables"] = R"([{"name":"features","rows":10,"first":30}])";
        }) == "65 FILE: the array of features has 10 rows, expected one for each of the 40 nodes");
  CHECK(feature_error([](Document& d) {
          d.metadata["embedding.method"] = "full";
          d.metadata["embedding.tables"] = "[]";
          d.at("embedding.array") = Tensor::make("embedding.array", Dtype::f32, {0});
        }).starts_with("65 FILE: has 0 tables, expected one with a row for each node"));
  CHECK(feature_error([](Document& d) {
          d.tensors.push_back(Tensor::make("features", Dtype::f32, {kNumNodes, 1}));
        }) == "65 FILE: has an array of features and others, expected one kind");
  CHECK(feature_error([](Document& d) {
          d.metadata["embedding.dim"] = "4097";
        }).starts_with("65 FILE: metadata 'embedding.dim' is '4097', expected a number from 1 to"));
  CHECK(feature_error([](Document& d) {
          d.at("embedding.array") = Tensor::make("embedding.array", Dtype::f32, {kArrayDim - 1});
        }).starts_with("65 FILE: an array of 5 numbers for blocks of 6, expected 6 to"));
  CHECK(feature_error([](Document& d) {
          d.at("embedding.array") = Tensor::make("embedding.array", Dtype::i32, {kArrayDim});
        }).starts_with("65 FILE: tensor 'embedding.array'"));
}

TEST_CASE("features of robe-compress are read as they are or not at all") {
  const auto array = make_array("robe");
  Document document;
  array->save(document);
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  NodeData data;
  read_features(file.path(), {}, data);
  REQUIRE(data.has_features());
  CHECK(data.feature_rows() == kNumNodes);
  CHECK(data.feature_dim() == kArrayDim);
  convert_features({}, data);
  CHECK(rows_of(*data.array) == rows_of(*array));
  FeatureOptions halves;
  halves.type = "bf16";
  CHECK(error_of([&] { convert_features(halves, data); }).starts_with("2 --feature-type"));
  document.at("embedding.array") = Tensor::make("embedding.array", Dtype::f32, {kArrayDim});
  document.at("embedding.array").as<float>()[2] = HUGE_VALF;
  write_document(file.path(), document);
  CHECK(error_of([&] { read_features(file.path(), {}, data); }) ==
        "65 " + file.path() + ": node 0 has a feature that is not finite, expected numbers");
}
