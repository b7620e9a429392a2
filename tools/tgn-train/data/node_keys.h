#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/graph/csr.h"

namespace frugal::tgn {

/// What tells nodes of a stream apart and stays when it grows. Where destinations have ids of their
/// own, their numbers lie behind those of the sources, and are others when there are new sources.
struct NodeKeys {
  /// Of streams whose destinations have ids of their own the first one; 0: nodes are of one kind.
  NodeId first_destination = 0;
  /// [nodes], instead of keys by number; or empty.
  std::span<const std::uint64_t> given;

  /// Of the node that is the index-th of its kind.
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

/// Where the nodes of a stream are in one that went on from it, or was cut short.
struct NodeMove {
  std::size_t nodes_before = 0, nodes = 0;
  /// The first destinations of streams that number these for themselves; 0: nodes stay.
  NodeId first_before = 0, first = 0;

  bool is_none() const { return nodes_before == nodes && first_before == first; }
  /// May be no node of the stream.
  std::uint64_t of(NodeId node) const {
    return first_before == 0 || node < first_before ? node
                                                    : std::uint64_t{node} - first_before + first;
  }
  /// Whether the state before has the node of the stream.
  bool had(NodeId node) const {
    if (first == 0) return node < nodes_before;
    if (node < first) return node < first_before;
    return std::uint64_t{node} - first + first_before < nodes_before;
  }
  /// Whether the stream has the node.
  bool has(NodeId node) const {
    const bool is_source = first_before != 0 && node < first_before;
    return is_source ? node < first : of(node) < nodes;
  }
};

}  // namespace frugal::tgn
