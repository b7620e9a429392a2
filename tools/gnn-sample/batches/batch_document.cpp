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

Document BatchDocuments::make(const MiniBatch& batch, const LinkBatch* links,
                              GrowingArray<std::byte>& rows) const {
  const std::uint64_t largest = std::max<std::uint64_t>(batch.total_nodes(), batch.num_edges());
  if (!options_.wide_ids && largest > std::numeric_limits<std::int32_t>::max()) {
    fail(ExitStatus::unavailable, "mini-batch ", batch.number, " has ", largest,
         " nodes or edges, more than numbers of 32 bits count: --wide-ids");
  }
  Document document;
  add_metadata(batch, document);
  for (std::size_t t = 0; t < batch.num_types(); ++t) {
    Tensor nodes = ids_tensor(node_prefixes_[t] + "nodes", {batch.num_nodes(t)});
    fill_ids(batch.nodes(t), 0, 0, nodes);
    document.tensors.push_back(std::move(nodes));
    if (options_.identities) identities_[t].add(batch.nodes(t), document);
  }
  for (std::size_t e = 0; e < batch.num_edge_types(); ++e) {
    for (std::size_t h = 0; h < batch.num_hops(); ++h) add_edges(batch, e, h, document);
  }
  add_features(batch, rows, document);
  add_roots(batch, document);
  if (links != nullptr) {
    add_links(batch, *links, document);
  } else {
    add_seed_data(batch, document);
  }
  return document;
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

void BatchDocuments::add_features(const MiniBatch& batch, GrowingArray<std::byte>& rows,
                                  Document& document) const {
  // Rows of each type begin at a line: their numbers may have more bytes than those before.
  constexpr std::size_t kLineBytes = 64;
  const auto room = [&](std::size_t t) {
    return (features_[t]->room(batch.num_nodes(t)) + kLineBytes - 1) / kLineBytes * kLineBytes;
  };
  std::size_t size = 0;
  for (std::size_t t = 0; t < batch.num_types(); ++t) {
    if (!features_[t] || features_[t]->sparse()) continue;
    size += room(t);
    if (size > rows.capacity()) features_[t]->check_room(batch.num_nodes(t));
  }
  rows.make_room(size, 0);
  std::byte* to = rows.data();
  for (std::size_t t = 0; t < batch.num_types(); ++t) {
    if (!features_[t]) continue;
    features_[t]->add(batch.nodes(t), to, document);
    to += room(t);
  }
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

void BatchDocuments::add_edges(const MiniBatch& batch, std::size_t edge_type, std::size_t hop,
                               Document& document) const {
  const Block block = batch.block(hop, edge_type);
  const EdgeSet& set = graph_.content().edges[options_.edge_types[edge_type]];
  const std::string name = edge_prefix(graph_.content(), set) + "hop." + std::to_string(hop) + ".";
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
  if (block.positions != nullptr) add_edge_ids(set, block, name, document);
}

/// Numbers of the edges in the input of import.
void BatchDocuments::add_edge_ids(const EdgeSet& edges, const Block& block, const std::string& name,
                                  Document& document) const {
  Tensor ids = Tensor::make(name + "edge_ids", Dtype::i64, {block.num_edges()});
  std::int64_t* to = ids.as<std::int64_t>().data();
  const std::uint64_t* positions = block.positions + block.offsets[0];
  for (std::size_t i = 0; i < block.num_edges(); ++i) {
    to[i] = static_cast<std::int64_t>(edges.edge_ids[positions[i]]);
  }
  document.tensors.push_back(std::move(ids));
}

void BatchDocuments::add_roots(const MiniBatch& batch, Document& document) const {
  for (std::size_t t = 0; t < batch.num_types() && batch.has_roots(); ++t) {
    const auto roots = batch.roots(t);
    Tensor tensor = ids_tensor(node_prefixes_[t] + "roots", {roots.size()});
    fill_ids(roots, 0, 0, tensor);
    document.tensors.push_back(std::move(tensor));
  }
  if (const auto times = batch.seed_times(); !times.empty()) {
    Tensor tensor =
        Tensor::make(node_prefixes_[batch.seed_type()] + "seed_times", Dtype::f64, {times.size()});
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
  const std::string& prefix = node_prefixes_[batch.seed_type()];
  const NodeSet& set = graph_.content().nodes[batch.seed_type()];
  const std::span<const std::uint32_t> places = batch.seed_places();
  if (!places.empty()) {
    Tensor seeds = ids_tensor(prefix + "seeds", {places.size()});
    fill_ids(places, 0, 0, seeds);
    document.tensors.push_back(std::move(seeds));
  }
  if (!options_.labels) return;
  const std::span<const NodeId> seeds = batch.nodes(batch.seed_type()).first(batch.num_seeds());
  if (const std::span<const std::int32_t> labels = set.labels; !labels.empty()) {
    Tensor of_seeds = Tensor::make(prefix + "labels", Dtype::i32, {seeds.size()});
    std::int32_t* to = of_seeds.as<std::int32_t>().data();
    for (const NodeId v : seeds) *to++ = labels[v];
    document.tensors.push_back(std::move(of_seeds));
  } else if (const auto matrix = set.label_matrix; !matrix.empty()) {
    const std::size_t classes = set.num_classes;
    Tensor of_seeds = Tensor::make(prefix + "labels", Dtype::u8, {seeds.size(), classes});
    std::uint8_t* to = of_seeds.as<std::uint8_t>().data();
    for (const NodeId v : seeds) to = std::copy_n(matrix.data() + v * classes, classes, to);
    document.tensors.push_back(std::move(of_seeds));
  }
}

}  // namespace frugal::gnn
