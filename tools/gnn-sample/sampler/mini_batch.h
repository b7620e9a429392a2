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

/// One layer of message flow: edges from `sources` nodes of a mini-batch into the first `targets`
/// of them, which are sources too. Row t of a CSR holds the sampled in-neighbours of target t as
/// local ids, positions in the mini-batch's list of nodes. With several types sources and targets
/// are each the first nodes of their type. A view.
struct Block {
  std::uint32_t targets = 0;
  std::uint32_t sources = 0;  ///< >= targets, of one type
  const std::uint32_t* offsets =
      nullptr;  ///< [targets + 1], into neighbors, the first not always 0
  const std::uint32_t* neighbors = nullptr;  ///< local ids, below sources
  const std::uint64_t* positions = nullptr;  ///< each edge's place in the graph's CSR, or null

  std::uint32_t degree(std::uint32_t t) const { return offsets[t + 1] - offsets[t]; }
  std::uint32_t num_edges() const { return targets == 0 ? 0 : offsets[targets] - offsets[0]; }
  std::span<const std::uint32_t> row(std::uint32_t t) const {
    return {neighbors + offsets[t], degree(t)};
  }
};

/// Room for plain values that grows where it must and is kept: what is filled again and again is
/// not allocated in the steady state. Values are uninitialised and written through data().
template <class T>
class GrowingArray {
 public:
  /// Room for `size` values; the first `kept` of those that there were stay.
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

/// Nodes of one type in a mini-batch, in the order in which they were met.
struct SampledNodes {
  GrowingArray<NodeId> ids;           ///< global, by local id
  GrowingArray<std::uint32_t> roots;  ///< of each its seed, where these have their own nodes
  std::uint32_t size = 0;
  std::vector<std::uint32_t> known;  ///< [hops + 1] how many before each hop, and behind the last
};

/// Edges of one type in a mini-batch, hop by hop.
struct SampledEdges {
  std::uint32_t source_type = 0, target_type = 0;
  GrowingArray<std::uint32_t> offsets, neighbors;  ///< as in Block
  GrowingArray<std::uint64_t> positions;
  std::uint64_t size = 0;
  std::vector<std::size_t> hops;  ///< where the offsets of each hop's block begin
};

/// A sampled mini-batch: its nodes, the seeds first, then the others in the order in which they
/// were met, and a block of message flow a hop. Kept and filled again, it does not allocate.
/// Of a graph of several types it has such nodes of each type, and blocks of each type of edges;
/// types are numbers from 0, and seeds are of one type.
class MiniBatch {
 public:
  /// Which one it is, in its run.
  std::uint64_t epoch = 0, number = 0;

  std::size_t num_types() const { return nodes_.size(); }
  std::size_t num_edge_types() const { return edges_.size(); }
  /// Global ids by local id.
  std::span<const NodeId> nodes(std::size_t type = 0) const {
    return nodes_[type].ids.first(nodes_[type].size);
  }
  std::uint32_t num_nodes(std::size_t type = 0) const { return nodes_[type].size; }
  /// Of all types.
  std::uint64_t total_nodes() const {
    std::uint64_t n = 0;
    for (const SampledNodes& nodes : nodes_) n += nodes.size;
    return n;
  }
  std::size_t seed_type() const { return seed_type_; }
  /// Different seeds: the first nodes of their type.
  std::uint32_t num_seeds() const { return num_seeds_; }
  /// Local ids of the seeds as they were given, where some of them were equal; else empty.
  std::span<const std::uint32_t> seed_places() const { return {places_.data(), places_.size()}; }
  /// Local id of the i-th seed as they were given.
  std::uint32_t seed_place(std::uint32_t i) const { return places_.empty() ? i : places_[i]; }
  bool has_roots() const { return has_roots_; }
  /// Of each node the local id of the seed whose neighbourhood it is in; empty unless each seed has
  /// one of its own.
  std::span<const std::uint32_t> roots(std::size_t type = 0) const {
    return nodes_[type].roots.first(has_roots_ ? nodes_[type].size : 0);
  }
  /// Of each seed; empty unless edges are drawn by their time.
  std::span<const double> seed_times() const { return times_; }

  std::size_t num_hops() const { return edges_.empty() ? 0 : edges_.front().hops.size(); }
  /// Edges drawn in all hops, of all types.
  std::uint64_t num_edges() const {
    std::uint64_t n = 0;
    for (const SampledEdges& edges : edges_) n += edges.size;
    return n;
  }
  /// Nodes known behind hop `hop`, which counts from the seeds: 0 knows the seeds alone.
  std::uint32_t nodes_behind(std::size_t hop, std::size_t type = 0) const {
    return nodes_[type].known[hop];
  }
  /// Layer of message flow into the nodes known before hop `hop`, 0 next to the seeds.
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
  std::vector<std::uint32_t> places_;
  std::vector<double> times_;
  std::size_t seed_type_ = 0;
  std::uint32_t num_seeds_ = 0;
  bool has_positions_ = false, has_roots_ = false;
};

}  // namespace frugal::gnn
