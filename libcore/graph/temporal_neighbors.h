#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

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

}  // namespace frugal
