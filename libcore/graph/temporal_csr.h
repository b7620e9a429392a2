#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// A neighbour of a node, and the number of the event in the stream that connected them.
struct TemporalNeighbor {
  NodeId node = 0;
  std::uint32_t event = 0;
};

/// The events of each node, as source or destination, in the order of their stream, which may still
/// grow. A self loop has two entries.
class TemporalNeighbors {
 public:
  virtual ~TemporalNeighbors() = default;

  virtual std::size_t num_nodes() const = 0;
  /// Entries of v with event numbers below `limit`, oldest first.
  virtual std::span<const TemporalNeighbor> before(NodeId v, std::uint32_t limit) const = 0;
  /// Prefetches the data that before(v, ...) reads first.
  virtual void prefetch(NodeId) const {}
};

/// Neighbours in a finished stream.
class TemporalCsr final : public TemporalNeighbors {
 public:
  TemporalCsr() = default;
  /// sources, destinations: nodes of each event, below num_nodes; fewer than 2^32 - 1 events. keep:
  /// selects events; called several times for each, by any thread; null: all. Takes 16 bytes per
  /// event and 8 per node. Fails (unavailable) if there is too little memory.
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
