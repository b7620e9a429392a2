#include "tools/gnn-sample/batches/batch_document.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal {

BatchLayout batch_layout(std::string_view name) {
  if (name == "csr") return BatchLayout::csr;
  if (name == "coo") return BatchLayout::coo;
  fail(ExitStatus::usage, "--layout is '", printable(name), "', expected csr or coo");
}

BatchDocuments::BatchDocuments(const StoredGraph& graph, const BatchDocumentOptions& options)
    : graph_(graph), options_(options) {
  if (graph.num_nodes() > std::numeric_limits<std::int32_t>::max()) options_.wide_ids = true;
  const std::optional<FeatureView> features = graph.features();
  if (options.features && features) slicer_.emplace(*features);
}

Document BatchDocuments::make(const MiniBatch& batch, const LinkBatch* links,
                              GrowingArray<std::byte>& rows) const {
  Document document;
  std::string known;
  for (std::size_t h = 0; h <= batch.num_hops(); ++h) {
    known += (h == 0 ? "" : ",") + std::to_string(batch.nodes_behind(h));
  }
  document.metadata = {
      {"frugal.kind", "minibatch"},
      {"batch.epoch", std::to_string(batch.epoch)},
      {"batch.number", std::to_string(batch.number)},
      {"batch.nodes", known},
      {"batch.semantics", options_.semantics == Semantics::mfg ? "mfg" : "frontier"}};
  if (options_.labels && graph_.num_classes() != 0) {
    document.metadata["graph.classes"] = std::to_string(graph_.num_classes());
  }
  Tensor nodes = ids_tensor("nodes", {batch.num_nodes()});
  fill_ids(batch.nodes(), 0, 0, nodes);
  document.tensors.push_back(std::move(nodes));
  if (options_.semantics == Semantics::mfg) {
    for (std::size_t h = 0; h < batch.num_hops(); ++h) add_edges(batch, h, document);
  } else {
    add_edges(batch, batch.num_hops() - 1, document);
  }
  if (slicer_) {
    const std::size_t size = batch.num_nodes() * slicer_->row_bytes();
    rows.make_room(size, 0);
    slicer_->slice(batch.nodes(), rows.data());
    document.tensors.push_back(
        {"features", slicer_->dtype(), {batch.num_nodes(), slicer_->dim()}, {}, rows.first(size)});
  }
  add_roots(batch, document);
  if (links != nullptr) {
    add_links(batch, *links, document);
  } else {
    add_seed_data(batch, document);
  }
  return document;
}

Tensor BatchDocuments::ids_tensor(std::string name, Shape shape) const {
  return Tensor::make(std::move(name), options_.wide_ids ? Dtype::i64 : Dtype::i32,
                      std::move(shape));
}

/// Writes from[i] - shift behind element `at`.
void BatchDocuments::fill_ids(std::span<const std::uint32_t> from, std::uint32_t shift,
                              std::size_t at, Tensor& to) const {
  if (options_.wide_ids) {
    std::int64_t* ids = to.as<std::int64_t>().data() + at;
    for (std::size_t i = 0; i < from.size(); ++i) ids[i] = from[i] - shift;
  } else {
    std::int32_t* ids = to.as<std::int32_t>().data() + at;
    for (std::size_t i = 0; i < from.size(); ++i)
      ids[i] = static_cast<std::int32_t>(from[i] - shift);
  }
}

void BatchDocuments::add_edges(const MiniBatch& batch, std::size_t hop, Document& document) const {
  const Block block = batch.block(hop);
  const std::string name =
      options_.semantics == Semantics::mfg ? "hop." + std::to_string(hop) + "." : "";
  const std::size_t edges = block.num_edges();
  const std::uint32_t begin = block.offsets[0];
  const std::span<const std::uint32_t> sources(block.neighbors + begin, edges);
  if (options_.layout == BatchLayout::csr) {
    Tensor offsets = ids_tensor(name + "offsets", {std::uint64_t{block.targets} + 1});
    fill_ids({block.offsets, std::size_t{block.targets} + 1}, begin, 0, offsets);
    Tensor neighbors = ids_tensor(name + "neighbors", {edges});
    fill_ids(sources, 0, 0, neighbors);
    document.tensors.push_back(std::move(offsets));
    document.tensors.push_back(std::move(neighbors));
  } else {
    Tensor pairs = ids_tensor(name + "edge_index", {2, edges});
    fill_ids(sources, 0, 0, pairs);
    std::vector<std::uint32_t> targets;
    targets.reserve(edges);
    for (std::uint32_t t = 0; t < block.targets; ++t)
      targets.insert(targets.end(), block.degree(t), t);
    fill_ids(targets, 0, edges, pairs);
    document.tensors.push_back(std::move(pairs));
  }
  if (block.positions != nullptr) add_edge_ids(block, name, document);
}

/// Numbers of the edges in the input of import where the graph has them, else places in its CSR.
void BatchDocuments::add_edge_ids(const Block& block, const std::string& name,
                                  Document& document) const {
  Tensor ids = Tensor::make(name + "edge_ids", Dtype::i64, {block.num_edges()});
  std::int64_t* to = ids.as<std::int64_t>().data();
  const std::uint64_t* positions = block.positions + block.offsets[0];
  const std::span<const EdgeId> numbers = graph_.edge_ids();
  for (std::size_t i = 0; i < block.num_edges(); ++i) {
    to[i] = static_cast<std::int64_t>(numbers.empty() ? positions[i] : numbers[positions[i]]);
  }
  document.tensors.push_back(std::move(ids));
}

void BatchDocuments::add_roots(const MiniBatch& batch, Document& document) const {
  if (const auto roots = batch.roots(); !roots.empty()) {
    Tensor tensor = ids_tensor("roots", {roots.size()});
    fill_ids(roots, 0, 0, tensor);
    document.tensors.push_back(std::move(tensor));
  }
  if (const auto times = batch.seed_times(); !times.empty()) {
    Tensor tensor = Tensor::make("seed_times", Dtype::f64, {times.size()});
    std::copy(times.begin(), times.end(), tensor.as<double>().data());
    document.tensors.push_back(std::move(tensor));
  }
}

void BatchDocuments::add_links(const MiniBatch& batch, const LinkBatch& links,
                               Document& document) const {
  const std::size_t n = links.num_links();
  std::vector<std::uint32_t> ends;
  for (const std::uint32_t i : links.sources) ends.push_back(batch.seed_place(i));
  for (const std::uint32_t i : links.targets) ends.push_back(batch.seed_place(i));
  Tensor seeds = ids_tensor("seeds", {2, n});
  fill_ids(ends, 0, 0, seeds);
  Tensor labels = Tensor::make("edge_labels", Dtype::f32, {n});
  for (std::size_t i = 0; i < n; ++i) labels.as<float>()[i] = links.label(i);
  document.tensors.push_back(std::move(seeds));
  document.tensors.push_back(std::move(labels));
}

void BatchDocuments::add_seed_data(const MiniBatch& batch, Document& document) const {
  const std::span<const std::uint32_t> places = batch.seed_places();
  if (!places.empty()) {
    Tensor seeds = ids_tensor("seeds", {places.size()});
    fill_ids(places, 0, 0, seeds);
    document.tensors.push_back(std::move(seeds));
  }
  if (!options_.labels) return;
  const std::span<const NodeId> seeds = batch.nodes().first(batch.num_seeds());
  if (const std::span<const std::int32_t> labels = graph_.labels(); !labels.empty()) {
    Tensor of_seeds = Tensor::make("labels", Dtype::i32, {seeds.size()});
    std::int32_t* to = of_seeds.as<std::int32_t>().data();
    for (const NodeId v : seeds) *to++ = labels[v];
    document.tensors.push_back(std::move(of_seeds));
  } else if (const auto matrix = graph_.label_matrix(); !matrix.empty()) {
    const std::size_t classes = graph_.num_classes();
    Tensor of_seeds = Tensor::make("labels", Dtype::u8, {seeds.size(), classes});
    std::uint8_t* to = of_seeds.as<std::uint8_t>().data();
    for (const NodeId v : seeds) to = std::copy_n(matrix.data() + v * classes, classes, to);
    document.tensors.push_back(std::move(of_seeds));
  }
}

}  // namespace frugal
