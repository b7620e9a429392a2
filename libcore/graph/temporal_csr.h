#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// One neighbour of a node and the event that made it one, by its number in the stream.
struct TemporalNeighbor {
  NodeId node = 0;
  std::uint32_t event = 0;
};

/// The events of each node, of either role, in the order of their stream, which may be finished or
/// growing. A self loop has two entries.
class TemporalNeighbors {
 public:
  virtual ~TemporalNeighbors() = default;

  virtual std::size_t num_nodes() const = 0;
  /// Entries of v with events before `limit`, oldest first.
  virtual std::span<const TemporalNeighbor> before(NodeId v, std::uint32_t limit) const = 0;
  /// Hints the processor to fetch what before(v, ...) will read first.
  virtual void prefetch(NodeId) const {}
};

/// The neighbours of a finished stream.
class TemporalCsr final : public TemporalNeighbors {
 public:
  TemporalCsr() = default;
  /// sources, destinations: of each event, below num_nodes; fewer than 2^32 - 1 events. keep: which
  /// events are entered, asked several times for each and by any thread; null: all. Takes 16 bytes
  /// an event and 8 a node. Fails (unavailable) where they are more than there is.
  TemporalCsr(std::span<const NodeId> sources, std::span<const NodeId> destinations,
              std::size_t num_nodes,
              const std::function<bool(std::uint32_t event)>& keep = nullptr);

  std::size_t num_nodes() const override { return offsets_.empty() ? 0 : offsets_.size() - 1; }
  std::span<const TemporalNeighbor> before(NodeId v, std::uint32_t limit) const override;
  void prefetch(NodeId v) const override { __builtin_prefetch(offsets_.data() + v); }

 private:
  Array<EdgeId> offsets_;            ///< [nodes + 1] rows in entries_
  Array<TemporalNeighbor> entries_;  ///< [entries]
};

}  // namespace frugal
