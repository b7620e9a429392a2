#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/sampler/block.h"
#include "tools/gnn-sample/sampler/growing_array.h"

namespace frugal {

/// A sampled mini-batch: its nodes, the seeds first, then the others in the order in which they
/// were met, and a block of message flow a hop. Kept and filled again, it does not allocate.
class MiniBatch {
 public:
  /// Which one it is, in its run.
  std::uint64_t epoch = 0, number = 0;

  /// Global ids by local id.
  std::span<const NodeId> nodes() const { return nodes_.first(num_nodes_); }
  std::uint32_t num_nodes() const { return num_nodes_; }
  /// Different seeds: the first nodes.
  std::uint32_t num_seeds() const { return num_seeds_; }
  /// Local ids of the seeds as they were given, where some of them were equal; else empty.
  std::span<const std::uint32_t> seed_places() const { return {places_.data(), places_.size()}; }
  /// Local id of the i-th seed as they were given.
  std::uint32_t seed_place(std::uint32_t i) const { return places_.empty() ? i : places_[i]; }
  /// Of each node the local id of the seed whose neighbourhood it is in; empty unless each seed has
  /// one of its own.
  std::span<const std::uint32_t> roots() const { return roots_.first(has_roots_ ? num_nodes_ : 0); }
  /// Of each seed; empty unless edges are drawn by their time.
  std::span<const double> seed_times() const { return times_; }

  std::size_t num_hops() const { return hops_.size(); }
  /// Edges drawn in all hops.
  std::uint64_t num_edges() const { return num_edges_; }
  /// Nodes known behind hop `hop`, which counts from the seeds: 0 knows the seeds alone.
  std::uint32_t nodes_behind(std::size_t hop) const {
    return hop == 0 ? num_seeds_ : hops_[hop - 1].known;
  }
  /// Layer of message flow into the nodes known before hop `hop`, 0 next to the seeds.
  Block block(std::size_t hop) const {
    const Hop& h = hops_[hop];
    return {nodes_behind(hop), h.known, offsets_.data() + h.offsets, neighbors_.data(),
            has_positions_ ? positions_.data() : nullptr};
  }

 private:
  friend class NeighborSampler;
  struct Hop {
    std::size_t offsets = 0;  ///< where those of the block begin
    std::uint32_t known = 0;  ///< nodes behind it
  };

  GrowingArray<NodeId> nodes_;
  GrowingArray<std::uint32_t> offsets_;
  GrowingArray<std::uint32_t> neighbors_;
  GrowingArray<std::uint64_t> positions_;
  std::vector<std::uint32_t> places_;
  GrowingArray<std::uint32_t> roots_;
  std::vector<double> times_;
  std::vector<Hop> hops_;
  std::uint32_t num_nodes_ = 0, num_seeds_ = 0;
  std::uint64_t num_edges_ = 0;
  bool has_positions_ = false, has_roots_ = false;
};

}  // namespace frugal
