#include "tools/gnn-sample/tasks/whole_neighborhoods.h"

#include <algorithm>

#include "libcore/threading/parallel.h"

namespace frugal::gnn {
namespace {

constexpr std::uint32_t kUnknown = 0xffffffff, kFound = kUnknown - 1;
constexpr std::size_t kRowsAtATime = 4096;

}  // namespace

WholeNeighborhoods::WholeNeighborhoods(const CsrView& graph, const EdgeData& data,
                                       std::span<const NodeId> requested, std::size_t layers)
    : requested_(requested.begin(), requested.end()), places_(graph.num_nodes(), kUnknown) {
  for (const NodeId v : requested) {
    if (places_[v] == kUnknown) {
      places_[v] = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(v);
    }
    rows_.push_back(places_[v]);
  }
  std::vector<std::size_t> known = {0, nodes_.size()};
  for (std::size_t l = 0; l < layers; ++l) {
    add_neighbors(graph, known[l]);
    known.push_back(nodes_.size());
  }
  add_edges(graph, data, known[layers]);
  for (std::size_t l = layers; l > 0; --l) {
    blocks_.push_back(
        {static_cast<std::uint32_t>(known[l]), static_cast<std::uint32_t>(known[l + 1]),
         offsets_.data(), neighbors_.data(), data.dim == 0 ? nullptr : positions_.data(),
         data.weights.empty() ? nullptr : weights_.data(), data.features.data(), data.dim});
  }
  places_ = {};
}

/// Six numbers a node: the node, its place, offset and degree, and what was requested, twice.
std::uint64_t WholeNeighborhoods::bytes(const CsrView& graph, const EdgeData& data) {
  return (6 * graph.num_nodes() + graph.num_edges()) * sizeof(std::uint32_t) +
         data.weights.size_bytes() +
         (data.dim == 0 ? 0 : graph.num_edges() * sizeof(std::uint64_t));
}

std::vector<float> WholeNeighborhoods::edge_numbers(const CsrView& graph,
                                                    std::span<const float> of_graph) const {
  std::vector<float> numbers(neighbors_.size());
  parallel_for(offsets_.size() - 1, kRowsAtATime, [&](std::size_t t) {
    const NodeId v = nodes_[t];
    std::copy_n(of_graph.begin() + static_cast<std::ptrdiff_t>(graph.offsets[v]), graph.degree(v),
                numbers.begin() + offsets_[t]);
  });
  return numbers;
}

bool WholeNeighborhoods::is_for(std::span<const NodeId> requested) const {
  return std::equal(requested.begin(), requested.end(), requested_.begin(), requested_.end());
}

/// Adds the unknown neighbours of the nodes from `first` on. They are in the graph's order, in
/// which rows that are read together may be close to each other.
void WholeNeighborhoods::add_neighbors(const CsrView& graph, std::size_t first) {
  std::size_t found = 0;
  for (std::size_t t = first; t < nodes_.size(); ++t) {
    for (const NodeId u : graph.row(nodes_[t])) {
      if (places_[u] != kUnknown) continue;
      places_[u] = kFound;
      ++found;
    }
  }
  nodes_.reserve(nodes_.size() + found);
  for (std::size_t v = 0; found != 0 && v < places_.size(); ++v) {
    if (places_[v] != kFound) continue;
    places_[v] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(static_cast<NodeId>(v));
    --found;
  }
}

/// Adds the edges into the first `targets` nodes.
void WholeNeighborhoods::add_edges(const CsrView& graph, const EdgeData& data,
                                   std::size_t targets) {
  offsets_.resize(targets + 1);
  for (std::size_t t = 0; t < targets; ++t) {
    offsets_[t + 1] = offsets_[t] + static_cast<std::uint32_t>(graph.degree(nodes_[t]));
  }
  neighbors_.resize(offsets_[targets]);
  weights_.resize(data.weights.empty() ? 0 : neighbors_.size());
  positions_.resize(data.dim == 0 ? 0 : neighbors_.size());
  parallel_for(targets, kRowsAtATime, [&](std::size_t t) {
    const auto row = graph.row(nodes_[t]);
    std::transform(row.begin(), row.end(), neighbors_.begin() + offsets_[t],
                   [&](NodeId u) { return places_[u]; });
    const EdgeId first = graph.offsets[nodes_[t]];
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!weights_.empty()) weights_[offsets_[t] + i] = data.weights[first + i];
      if (!positions_.empty()) positions_[offsets_[t] + i] = first + i;
    }
  });
}

}  // namespace frugal::gnn
