#include "tools/gnn-sample/batches/batch_document.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/text_file.h"
#include "tools/gnn-sample/batches/sampler_factory.h"
#include "tools/gnn-sample/data/graph_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

template <class T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

/// A document of the neighbourhood of one seed: node 2 of the first type of the file.
Document document_of(const TextFile& file, bool dense, DocumentArena& arena) {
  const StoredGraph graph(file.path());
  SamplingOptions sampling;
  sampling.fanouts = "-1";
  sampling.edge_ids = true;
  const SamplerFactory factory(graph, sampling, sampler_options(sampling, 1, 0), 0);
  BatchDocumentOptions options;
  options.dense = dense;
  options.edge_types = factory.edge_types();
  MiniBatch batch;
  factory.make()->sample(std::vector<NodeId>{2}, batch);
  arena.clear();
  BatchDocuments(graph, options).make(batch, nullptr, arena);
  return std::move(arena.document());
}

}  // namespace

TEST_CASE("a document has what was asked for of each type, aligned, also where nothing was drawn") {
  const std::vector<std::uint16_t> halves = {0x3c00, 0x4000, 0x4200};  // 1, 2, 3
  const std::vector<std::uint64_t> sparse = {0, 1, 1, 3};
  const std::vector<std::uint32_t> columns = {0, 0, 2};
  const std::vector<EdgeId> offsets = {0, 0, 0, 2}, none = {0, 0, 0, 0};
  const std::vector<NodeId> neighbors = {0, 2};
  const std::vector<EdgeId> numbers = {7, 4};
  GraphContent content;
  content.heterogeneous = true;
  content.nodes.resize(3);
  for (std::size_t t = 0; t < 3; ++t) {
    content.nodes[t].type = std::string(1, static_cast<char>('a' + t));
    content.nodes[t].size = 3;
    FeatureView& view = content.nodes[t].features.emplace();
    view.rows = 3;
    view.dim = t == 0 ? 1 : 3;
    view.offsets = t == 0 ? nullptr : sparse.data();
    view.columns = columns.data();
  }
  content.nodes[0].features->dtype = Dtype::f16;
  content.nodes[0].features->data = reinterpret_cast<const std::byte*>(halves.data());
  content.edges.resize(2);
  content.edges[0] = {"b", "to", "a", {offsets, neighbors}, {}, {}, numbers};
  content.edges[1] = {"c", "to", "a", {none, {}}, {}, {}, {}};
  const TextFile file("", ".safetensors");
  save_graph(file.path(), content);
  OwnArena rows;
  const Document sparse_document = document_of(file, false, rows);
  CHECK(list(sparse_document.at("nodes/b/features.offsets").as<std::int32_t>()) ==
        std::vector<std::int32_t>{0, 1, 3});
  CHECK(list(sparse_document.at("nodes/b/features.columns").as<std::int32_t>()) ==
        std::vector<std::int32_t>{0, 0, 2});
  CHECK(sparse_document.find("nodes/b/features.values") == nullptr);
  CHECK(sparse_document.at("nodes/c/features.offsets").shape == Shape{1});
  CHECK(sparse_document.metadata.at("graph.features.b") == "3");
  CHECK(sparse_document.at("nodes/a/features").shape == Shape{1, 1});
  const Document document = document_of(file, true, rows);
  CHECK(document.at("nodes/a/features").dtype == Dtype::f16);
  CHECK(list(document.at("nodes/b/features").as<float>()) == std::vector<float>{1, 0, 0, 1, 0, 1});
  CHECK(document.at("nodes/c/features").shape == Shape{0, 3});
  CHECK(list(document.at("edges/b:to:a/hop.0.edge_ids").as<std::int64_t>()) ==
        std::vector<std::int64_t>{7, 4});
  CHECK(document.at("edges/c:to:a/hop.0.edge_ids").shape == Shape{0});
  for (const Tensor& tensor : document.tensors) {
    CAPTURE(tensor.name);
    CHECK(reinterpret_cast<std::uintptr_t>(tensor.content().data()) % item_size(tensor.dtype) == 0);
  }
}
