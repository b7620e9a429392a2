#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/data/event_times.h"

namespace frugal::tgn {

/// The nodes near a node at a time: the partners of its last events, and the partners of these.
class Surroundings {
 public:
  /// A node two hops away. via: the only partner between; kSeveral: there are more.
  struct Far {
    NodeId node = 0, via = 0;
  };
  static constexpr NodeId kSeveral = ~NodeId{0};

  /// Looks at the last `count` events of each node, of those before `limit`.
  void gather(const TemporalNeighbors& neighbors, NodeId node, EventId limit, std::size_t count);

  NodeId node() const { return node_; }
  /// Ascending. Neither list has the node itself; a partner may be two hops away, too.
  std::span<const NodeId> partners() const { return partners_; }
  std::span<const Far> far() const { return far_; }
  bool has_partner(NodeId other) const;

 private:
  NodeId node_ = 0;
  std::vector<NodeId> partners_;
  std::vector<Far> far_;
  std::vector<std::uint64_t> steps_;  ///< (node, via) as one number, with repetitions
};

/// Common neighbours of a pair by their hops from its source and from its destination.
enum class CommonHops : std::uint8_t { one_one, one_two, two_one, two_two };

/// Sets `nodes` to the common neighbours of the two nodes, ascending. Neither end is one, and no
/// walk to one passes the other end. Takes time in proportion to both lists.
void find_common(const Surroundings& source, const Surroundings& destination, CommonHops hops,
                 std::vector<NodeId>& nodes);

}  // namespace frugal::tgn
