#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal::gnn {

/// A view of one layer of message flow: edges from the first `sources` nodes of a mini-batch into
/// the first `targets` of them. Row t of a CSR contains the sampled in-neighbours of target t as
/// local ids: indices in the mini-batch's list of nodes. With several types, sources and targets
/// are the first nodes of their types.
struct Block {
  std::uint32_t targets = 0;
  std::uint32_t sources = 0;  ///< >= targets, of one type
  const std::uint32_t* offsets =
      nullptr;  ///< [targets + 1], into neighbors; the first need not be 0
  const std::uint32_t* neighbors = nullptr;  ///< local ids, below sources
  const std::uint64_t* positions = nullptr;  ///< each edge's position in the graph's CSR, or null
  const float* weights = nullptr;  ///< each edge's weight, at the index of its neighbour, or null
  const float* edge_features = nullptr;  ///< [edges of the graph, edge_dim], or null
  std::size_t edge_dim = 0;

  std::uint32_t degree(std::uint32_t t) const { return offsets[t + 1] - offsets[t]; }
  std::uint32_t num_edges() const { return targets == 0 ? 0 : offsets[targets] - offsets[0]; }
  std::span<const std::uint32_t> row(std::uint32_t t) const {
    return {neighbors + offsets[t], degree(t)};
  }
  /// Features of the edge at that index of `neighbors`. Without positions, these indices are those
  /// of the graph.
  const float* edge_row(std::size_t index) const {
    return edge_features + (positions == nullptr ? index : positions[index]) * edge_dim;
  }
};

/// Array of plain values that only grows, so that refilling it does not allocate in the steady
/// state. Values are uninitialised and written through data().
template <class T>
class GrowingArray {
 public:
  /// Makes room for `size` values and keeps the first `kept` old ones.
  void make_room(std::size_t size, std::size_t kept) {
    if (size <= values_.size()) return;
    Array<T> larger(std::max(size, values_.size() * 2), uninitialized);
    kept = std::min(kept, values_.size());
    if (kept != 0) std::memcpy(larger.data(), values_.data(), kept * sizeof(T));
    values_ = std::move(larger);
  }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::span<const T> first(std::size_t n) const { return {values_.data(), n}; }
  std::size_t capacity() const { return values_.size(); }

 private:
  Array<T> values_;
};

/// Nodes of one type in a mini-batch, in order of discovery.
struct SampledNodes {
  GrowingArray<NodeId> ids;           ///< global id for each local id
  GrowingArray<std::uint32_t> roots;  ///< seed of each node, with disjoint neighbourhoods
  std::uint32_t size = 0;
  /// [hops + 1] number of nodes before each hop, and after the last
  std::vector<std::uint32_t> known;
};

/// Edges of one type in a mini-batch, hop by hop.
struct SampledEdges {
  std::uint32_t source_type = 0, target_type = 0;
  GrowingArray<std::uint32_t> offsets, neighbors;  ///< as in Block
  GrowingArray<std::uint64_t> positions;
  std::uint64_t size = 0;
  std::vector<std::size_t> hops;  ///< index where the offsets of each hop's block begin
};

/// A sampled mini-batch: its nodes, seeds first, then the others in order of discovery, and a block
/// of message flow for each hop. It is reused without allocation. For a graph of several types it
/// has nodes of each type and blocks of each edge type. Types are numbers from 0. Seeds have the
/// same type, or two: the ends of links between types.
class MiniBatch {
 public:
  /// Epoch and number of the mini-batch in its run.
  std::uint64_t epoch = 0, number = 0;

  std::size_t num_types() const { return nodes_.size(); }
  std::size_t num_edge_types() const { return edges_.size(); }
  /// Global id for each local id.
  std::span<const NodeId> nodes(std::size_t type = 0) const {
    return nodes_[type].ids.first(nodes_[type].size);
  }
  std::uint32_t num_nodes(std::size_t type = 0) const { return nodes_[type].size; }
  /// Number of nodes of all types.
  std::uint64_t total_nodes() const {
    std::uint64_t n = 0;
    for (const SampledNodes& nodes : nodes_) n += nodes.size;
    return n;
  }
  std::size_t seed_type() const { return seed_type_; }
  /// Number of distinct seeds, which are the first nodes of their type.
  std::uint32_t num_seeds() const { return num_seeds_; }
  /// Local id of each given seed if some seeds were equal, otherwise empty.
  std::span<const std::uint32_t> seed_places() const { return {places_.data(), places_.size()}; }
  /// Local id of the i-th given seed.
  std::uint32_t seed_place(std::uint32_t i) const { return places_.empty() ? i : places_[i]; }
  /// Local id, in its type, of the i-th given seed of the second type.
  std::uint32_t second_place(std::uint32_t i) const {
    return second_places_.empty() ? i : second_places_[i];
  }
  bool has_roots() const { return has_roots_; }
  /// Local id of the seed in whose neighbourhood each node is; empty unless neighbourhoods are
  /// disjoint.
  std::span<const std::uint32_t> roots(std::size_t type = 0) const {
    return nodes_[type].roots.first(has_roots_ ? nodes_[type].size : 0);
  }
  /// Time of each seed; empty unless edges are drawn by time.
  std::span<const double> seed_times() const { return times_; }

  std::size_t num_hops() const { return edges_.empty() ? 0 : edges_.front().hops.size(); }
  /// Number of edges drawn in all hops, of all types.
  std::uint64_t num_edges() const {
    std::uint64_t n = 0;
    for (const SampledEdges& edges : edges_) n += edges.size;
    return n;
  }
  /// Number of nodes after `hop` hops; for 0, the seeds.
  std::uint32_t nodes_behind(std::size_t hop, std::size_t type = 0) const {
    return nodes_[type].known[hop];
  }
  /// Layer of message flow of a hop, into the nodes known before it. Hop 0 is next to the seeds.
  Block block(std::size_t hop, std::size_t edge_type = 0) const {
    const SampledEdges& e = edges_[edge_type];
    return {nodes_behind(hop, e.target_type), nodes_behind(hop + 1, e.source_type),
            e.offsets.data() + e.hops[hop], e.neighbors.data(),
            has_positions_ ? e.positions.data() : nullptr};
  }

 private:
  friend class NeighborSampler;
  friend class DeviceSampler;

  std::vector<SampledNodes> nodes_;
  std::vector<SampledEdges> edges_;
  std::vector<std::uint32_t> places_, second_places_;
  std::vector<double> times_;
  std::size_t seed_type_ = 0;
  std::uint32_t num_seeds_ = 0;
  bool has_positions_ = false, has_roots_ = false;
};

}  // namespace frugal::gnn
