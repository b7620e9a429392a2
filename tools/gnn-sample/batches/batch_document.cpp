#include "tools/gnn-sample/batches/batch_document.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {

BatchDocuments::BatchDocuments(const StoredGraph& graph, const BatchDocumentOptions& options)
    : graph_(graph), options_(options) {
  for (const NodeSet& nodes : graph.content().nodes) {
    if (nodes.size > std::numeric_limits<std::int32_t>::max()) options_.wide_ids = true;
    node_prefixes_.push_back(node_prefix(graph.content(), nodes));
    identities_.emplace_back(nodes, node_prefixes_.back());
  }
  for (std::size_t t = 0; t < node_prefixes_.size(); ++t) {
    const NodeSet& nodes = graph.content().nodes[t];
    features_.emplace_back();
    if (!options.features || !nodes.features) continue;
    features_.back().emplace(nodes, node_prefixes_[t],
                             BatchFeatures::Form{options_.dense, options_.wide_ids});
  }
}

void BatchDocuments::make(const MiniBatch& batch, const LinkBatch* links, DocumentArena& to) const {
  const std::uint64_t largest = std::max<std::uint64_t>(batch.total_nodes(), batch.num_edges());
  if (!options_.wide_ids && largest > std::numeric_limits<std::int32_t>::max()) {
    fail(ExitStatus::unavailable, "mini-batch ", batch.number, " has ", largest,
         " nodes or edges, more than numbers of 32 bits count: --wide-ids");
  }
  add_metadata(batch, to.document());
  for (std::size_t t = 0; t < batch.num_types(); ++t) {
    Tensor& nodes = add_ids(node_prefixes_[t] + "nodes", {batch.num_nodes(t)}, to);
    fill_ids(batch.nodes(t), 0, 0, nodes);
    if (options_.identities) identities_[t].add(batch.nodes(t), to.document());
  }
  for (std::size_t e = 0; e < batch.num_edge_types(); ++e) {
    for (std::size_t h = 0; h < batch.num_hops(); ++h) add_edges(batch, e, h, to);
  }
  add_features(batch, to);
  add_roots(batch, to);
  if (links != nullptr) {
    add_links(batch, *links, to);
  } else {
    add_seed_data(batch, to);
  }
}

void BatchDocuments::add_metadata(const MiniBatch& batch, Document& document) const {
  const GraphContent& content = graph_.content();
  document.metadata = {
      {"frugal.kind", "minibatch"},
      {"batch.epoch", std::to_string(batch.epoch)},
      {"batch.number", std::to_string(batch.number)},
      {"batch.semantics", options_.semantics == Semantics::mfg ? "mfg" : "frontier"}};
  std::string node_types, edge_types;
  for (std::size_t t = 0; t < batch.num_types(); ++t) {
    std::string known;
    for (std::size_t h = 0; h <= batch.num_hops(); ++h) {
      known += (h == 0 ? "" : ",") + std::to_string(batch.nodes_behind(h, t));
    }
    document.metadata[typed_key("batch.nodes", content.nodes[t].type)] = known;
    node_types += (t == 0 ? "" : ",") + content.nodes[t].type;
  }
  const NodeSet& seeds = content.nodes[batch.seed_type()];
  if (options_.labels && seeds.num_classes != 0) {
    document.metadata[typed_key("graph.classes", seeds.type)] = std::to_string(seeds.num_classes);
  }
  if (!content.heterogeneous) return;
  for (const std::size_t e : options_.edge_types) {
    edge_types += (edge_types.empty() ? "" : ",") + edge_type_name(content.edges[e]);
  }
  document.metadata["graph.node_types"] = node_types;
  document.metadata["graph.edge_types"] = edge_types;
  document.metadata["batch.seed_type"] = seeds.type;
}

void BatchDocuments::add_features(const MiniBatch& batch, DocumentArena& to) const {
  for (std::size_t t = 0; t < batch.num_types(); ++t) {
    if (features_[t]) features_[t]->add(batch.nodes(t), to);
  }
}

Tensor& BatchDocuments::add_ids(std::string name, Shape shape, DocumentArena& to) const {
  return to.add(std::move(name), options_.wide_ids ? Dtype::i64 : Dtype::i32, std::move(shape));
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

void BatchDocuments::add_edges(const MiniBatch& batch, std::size_t edge_type, std::size_t hop,
                               DocumentArena& to) const {
  const Block block = batch.block(hop, edge_type);
  const EdgeSet& set = graph_.content().edges[options_.edge_types[edge_type]];
  const std::string name = edge_prefix(graph_.content(), set) + "hop." + std::to_string(hop) + ".";
  const std::size_t edges = block.num_edges();
  const std::uint32_t begin = block.offsets[0];
  const std::span<const std::uint32_t> sources(block.neighbors + begin, edges);
  if (options_.layout == BatchLayout::csr) {
    Tensor& offsets = add_ids(name + "offsets", {std::uint64_t{block.targets} + 1}, to);
    fill_ids({block.offsets, std::size_t{block.targets} + 1}, begin, 0, offsets);
    Tensor& neighbors = add_ids(name + "neighbors", {edges}, to);
    fill_ids(sources, 0, 0, neighbors);
  } else {
    Tensor& pairs = add_ids(name + "edge_index", {2, edges}, to);
    fill_ids(sources, 0, 0, pairs);
    std::vector<std::uint32_t> targets;
    targets.reserve(edges);
    for (std::uint32_t t = 0; t < block.targets; ++t)
      targets.insert(targets.end(), block.degree(t), t);
    fill_ids(targets, 0, edges, pairs);
  }
  if (block.positions != nullptr) add_edge_ids(set, block, name, to);
}

/// Numbers of the edges in the input of import.
void BatchDocuments::add_edge_ids(const EdgeSet& edges, const Block& block, const std::string& name,
                                  DocumentArena& to) const {
  std::int64_t* ids =
      to.add(name + "edge_ids", Dtype::i64, {block.num_edges()}).as<std::int64_t>().data();
  const std::uint64_t* positions = block.positions + block.offsets[0];
  for (std::size_t i = 0; i < block.num_edges(); ++i) {
    ids[i] = static_cast<std::int64_t>(edges.edge_ids[positions[i]]);
  }
}

void BatchDocuments::add_roots(const MiniBatch& batch, DocumentArena& to) const {
  for (std::size_t t = 0; t < batch.num_types() && batch.has_roots(); ++t) {
    const auto roots = batch.roots(t);
    fill_ids(roots, 0, 0, add_ids(node_prefixes_[t] + "roots", {roots.size()}, to));
  }
  if (const auto times = batch.seed_times(); !times.empty()) {
    Tensor& tensor =
        to.add(node_prefixes_[batch.seed_type()] + "seed_times", Dtype::f64, {times.size()});
    std::copy(times.begin(), times.end(), tensor.as<double>().data());
  }
}

void BatchDocuments::add_links(const MiniBatch& batch, const LinkBatch& links,
                               DocumentArena& to) const {
  const std::size_t n = links.num_links();
  std::vector<std::uint32_t> ends;
  for (const std::uint32_t i : links.sources) ends.push_back(batch.seed_place(i));
  for (const std::uint32_t i : links.targets) ends.push_back(batch.seed_place(i));
  fill_ids(ends, 0, 0, add_ids("seeds", {2, n}, to));
  const std::span<float> labels = to.add("edge_labels", Dtype::f32, {n}).as<float>();
  for (std::size_t i = 0; i < n; ++i) labels[i] = links.label(i);
}

void BatchDocuments::add_seed_data(const MiniBatch& batch, DocumentArena& to) const {
  const std::string& prefix = node_prefixes_[batch.seed_type()];
  const NodeSet& set = graph_.content().nodes[batch.seed_type()];
  const std::span<const std::uint32_t> places = batch.seed_places();
  if (!places.empty()) fill_ids(places, 0, 0, add_ids(prefix + "seeds", {places.size()}, to));
  if (!options_.labels) return;
  const std::span<const NodeId> seeds = batch.nodes(batch.seed_type()).first(batch.num_seeds());
  if (const std::span<const std::int32_t> labels = set.labels; !labels.empty()) {
    Tensor& of_seeds = to.add(prefix + "labels", Dtype::i32, {seeds.size()});
    std::int32_t* row = of_seeds.as<std::int32_t>().data();
    for (const NodeId v : seeds) *row++ = labels[v];
  } else if (const auto values = set.values; !values.empty()) {
    Tensor& of_seeds = to.add(prefix + "labels", Dtype::f32, {seeds.size()});
    float* row = of_seeds.as<float>().data();
    for (const NodeId v : seeds) *row++ = values[v];
  } else if (const auto matrix = set.label_matrix; !matrix.empty()) {
    const std::size_t classes = set.num_classes;
    Tensor& of_seeds = to.add(prefix + "labels", Dtype::u8, {seeds.size(), classes});
    std::uint8_t* row = of_seeds.as<std::uint8_t>().data();
    for (const NodeId v : seeds) row = std::copy_n(matrix.data() + v * classes, classes, row);
  }
}

}  // namespace frugal::gnn
