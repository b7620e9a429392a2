#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/temporal_neighbors.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// The last neighbours of the nodes of a stream that goes on. Of each node are kept the last
/// `count` entries strictly before the stream's present time and as many at it, so that before()
/// has the last `count` of any limit that later events ask for; entries added since the last
/// settle() are kept all.
class LiveNeighbors final : public TemporalNeighbors {
 public:
  static constexpr std::size_t kAll = ~std::size_t{0};
  /// count: of a node; kAll: nothing is forgotten.
  explicit LiveNeighbors(std::size_t count) : count_(count) {}

  std::size_t num_nodes() const override { return entries_.size(); }
  /// The last entries before `limit`, at least `count` of them where there were as many.
  std::span<const TemporalNeighbor> before(NodeId v, std::uint32_t limit) const override;

  /// From now on there are so many nodes, not fewer than before.
  void grow(std::size_t num_nodes) { entries_.resize(num_nodes); }
  /// Enters the event in the lists of both nodes, behind all others.
  void add(NodeId source, NodeId destination, EventId event);
  /// Nobody will ask for limits before `present`, the first event at the present time: forgets what
  /// is not needed from then on.
  void settle(EventId present);

  std::span<const TemporalNeighbor> entries(NodeId v) const { return entries_[v]; }
  /// Events have new numbers; those in the lists have one.
  void renumber(std::span<const EventId> numbers);
  /// For a restored stream: v's list, oldest first.
  void set_entries(NodeId v, std::span<const TemporalNeighbor> entries) {
    entries_[v].assign(entries.begin(), entries.end());
  }

 private:
  void settle(std::vector<TemporalNeighbor>& list, EventId present) const;

  std::size_t count_;
  std::vector<std::vector<TemporalNeighbor>> entries_;  ///< [nodes]
  std::vector<NodeId> touched_;                         ///< since the last settle()
};

}  // namespace frugal::tgn
