#include "tools/gnn-sample/batches/walk_documents.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "tools/gnn-sample/sampler/id_table.h"

namespace frugal::gnn {
namespace {

WalkOptions for_graph(WalkOptions walks, const StoredGraph& graph) {
  walks.sources_ascend = graph.times().empty();
  return walks;
}

}  // namespace

std::vector<Visited> most_visited(std::span<NodeId> walks, NodeId start, std::uint32_t most) {
  std::sort(walks.begin(), walks.end());
  std::vector<Visited> visited;
  for (const NodeId node : walks) {
    if (node == start || node == kNoNode) continue;
    if (visited.empty() || visited.back().node != node) visited.push_back({node, 0});
    ++visited.back().visits;
  }
  const std::size_t kept = std::min<std::size_t>(most, visited.size());
  std::partial_sort(visited.begin(), visited.begin() + static_cast<std::ptrdiff_t>(kept),
                    visited.end(), [](const Visited& a, const Visited& b) {
                      return a.visits != b.visits ? a.visits > b.visits : a.node < b.node;
                    });
  visited.resize(kept);
  return visited;
}

WalkDocuments::WalkDocuments(const StoredGraph& graph, const WalkDocumentOptions& options)
    : options_(options),
      walks_(graph.csr(), for_graph(options.walks, graph)),
      identities_(graph.content().node_set(), "") {
  if (graph.num_nodes() > std::numeric_limits<std::int32_t>::max()) options_.wide_ids = true;
  const NodeSet& nodes = graph.content().node_set();
  if (!options.features || options.most_visited == 0 || !nodes.features) return;
  features_.emplace(nodes, "", BatchFeatures::Form{options_.dense, options_.wide_ids});
}

WalkDocuments::Made WalkDocuments::make(const SeedBatches::Seeds& seeds, DocumentArena& to) const {
  std::vector<NodeId> starts;
  for (const NodeId seed : seeds.nodes) {
    starts.insert(starts.end(), options_.walks_per_node, seed);
  }
  const std::size_t stride = options_.walks.length + std::size_t{1};
  std::vector<NodeId> walks(starts.size() * stride);
  Made made;
  made.steps = walks_.walk(starts, seeds.number, walks.data());
  to.document().metadata = {{"frugal.kind", options_.most_visited == 0 ? "walks" : "minibatch"},
                            {"batch.epoch", std::to_string(seeds.epoch)},
                            {"batch.number", std::to_string(seeds.number)}};
  if (options_.most_visited == 0) {
    add_ids("walks", {starts.size(), stride}, walks, to);
  } else {
    made.nodes = add_neighbors(seeds, walks, to);
  }
  return made;
}

/// A hop whose edges come from what walks met, with shares of their visits as weights.
std::uint64_t WalkDocuments::add_neighbors(const SeedBatches::Seeds& seeds,
                                           std::vector<NodeId>& walks, DocumentArena& to) const {
  const std::size_t num_seeds = seeds.nodes.size(), of_seed = walks.size() / num_seeds;
  TreeIdTable table;
  table.start();
  table.make_room(num_seeds * (1 + std::min<std::uint64_t>(options_.most_visited, of_seed)));
  std::vector<NodeId> nodes, offsets = {0}, neighbors;
  std::vector<float> weights;
  const auto local = [&](NodeId node) {
    const auto known = static_cast<std::uint32_t>(nodes.size());
    const std::uint32_t id = table.insert(node, known);
    if (id == known) nodes.push_back(node);
    return id;
  };
  std::vector<std::uint32_t> places;
  std::vector<NodeId> targets;
  std::vector<std::size_t> firsts;
  for (std::size_t i = 0; i < num_seeds; ++i) {
    places.push_back(local(seeds.nodes[i]));
    // Equal seeds are one node, with the neighbours of the first.
    if (targets.size() == nodes.size()) continue;
    targets.push_back(seeds.nodes[i]);
    firsts.push_back(i);
  }
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const std::span<NodeId> met(walks.data() + firsts[t] * of_seed, of_seed);
    const auto visited = most_visited(met, targets[t], options_.most_visited);
    double visits = 0;
    for (const Visited& v : visited) visits += v.visits;
    for (const Visited& v : visited) {
      neighbors.push_back(local(v.node));
      weights.push_back(static_cast<float>(v.visits / visits));
    }
    offsets.push_back(static_cast<std::uint32_t>(neighbors.size()));
  }
  to.document().metadata["batch.nodes"] =
      std::to_string(targets.size()) + "," + std::to_string(nodes.size());
  add_ids("nodes", {nodes.size()}, nodes, to);
  add_ids("hop.0.offsets", {offsets.size()}, offsets, to);
  add_ids("hop.0.neighbors", {neighbors.size()}, neighbors, to);
  Tensor& shares = to.add("hop.0.weights", Dtype::f32, {weights.size()});
  std::copy(weights.begin(), weights.end(), shares.as<float>().data());
  if (targets.size() != num_seeds) add_ids("seeds", {num_seeds}, places, to);
  if (options_.identities) identities_.add(nodes, to.document());
  if (features_) features_->add(nodes, to);
  return nodes.size();
}

/// kNoNode becomes -1.
void WalkDocuments::add_ids(const char* name, Shape shape, std::span<const NodeId> ids,
                            DocumentArena& to) const {
  Tensor& tensor = to.add(name, options_.wide_ids ? Dtype::i64 : Dtype::i32, std::move(shape));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (options_.wide_ids) {
      tensor.as<std::int64_t>()[i] = ids[i] == kNoNode ? -1 : std::int64_t{ids[i]};
    } else {
      tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(ids[i]);
    }
  }
}

}  // namespace frugal::gnn
