#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/graph/csr.h"

namespace frugal::tgn {

/// Identity of a stream's nodes that stays the same while the stream grows. Node numbers do not: if
/// destinations have ids of their own, they are numbered after the sources, so new sources shift
/// them.
struct NodeKeys {
  /// The first destination if destinations have ids of their own; 0: nodes are of one kind.
  NodeId first_destination = 0;
  /// [nodes] keys to use instead of those by number; or empty.
  std::span<const std::uint64_t> given;

  /// Key of the node with that index among the nodes of its kind.
  static std::uint64_t key(std::uint64_t index, bool as_destination) {
    constexpr std::uint64_t kDestination = std::uint64_t{1} << 40;
    return as_destination ? index + kDestination : index;
  }
  std::uint64_t of(NodeId node) const {
    if (!given.empty()) return given[node];
    const bool as_destination = first_destination != 0 && node >= first_destination;
    return key(as_destination ? node - first_destination : node, as_destination);
  }
};

/// Maps the nodes of a stream to those of a longer or shorter version of it.
struct NodeMove {
  std::size_t nodes_before = 0, nodes = 0;
  /// First destination before and now, if destinations have ids of their own; 0: nodes keep their
  /// numbers.
  NodeId first_before = 0, first = 0;

  bool is_none() const { return nodes_before == nodes && first_before == first; }
  /// New number of a node; may be beyond the stream's nodes.
  std::uint64_t of(NodeId node) const {
    return first_before == 0 || node < first_before ? node
                                                    : std::uint64_t{node} - first_before + first;
  }
  /// True if the earlier stream has the present stream's `node`.
  bool had(NodeId node) const {
    if (first == 0) return node < nodes_before;
    if (node < first) return node < first_before;
    return std::uint64_t{node} - first + first_before < nodes_before;
  }
  /// True if the present stream has the earlier stream's `node`.
  bool has(NodeId node) const {
    const bool is_source = first_before != 0 && node < first_before;
    return is_source ? node < first : of(node) < nodes;
  }
};

}  // namespace frugal::tgn
