#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// Numbers nodes by their roles: as a source, and as a destination of events of one edge type. Each
/// role of a node has a number of its own. A history of these numbers counts a destination's events
/// of one type apart from those of others. Number 0 stands for all roles that no event had.
class TypedNodes {
 public:
  static constexpr NodeId kNever = 0;

  /// One more than the largest number.
  std::size_t size() const { return roles_.size() + 1; }
  /// Number of the role, or kNever.
  NodeId source(NodeId node) const { return find(role_of(node)); }
  NodeId destination(NodeId node, std::uint16_t type) const { return find(role_of(node, type)); }
  /// Number of the role, a new one if it had none.
  NodeId add_source(NodeId node) { return add(role_of(node)); }
  NodeId add_destination(NodeId node, std::uint16_t type) { return add(role_of(node, type)); }
  /// Node of a number that is not kNever.
  NodeId node(NodeId number) const { return static_cast<NodeId>(roles_[number - 1] >> kTypeBits); }
  /// Numbers of the destinations of the type, ascending.
  std::span<const NodeId> destinations(std::uint16_t type) const {
    return type < destinations_.size() ? destinations_[type] : std::span<const NodeId>{};
  }

  /// The roles with numbers 1, 2 and so on, for files.
  std::span<const std::uint64_t> roles() const { return roles_; }
  /// Sets the roles to those of roles(). Returns false if one occurs twice or has a node that is
  /// not below num_nodes.
  bool restore(std::span<const std::uint64_t> roles, std::size_t num_nodes);

 private:
  static constexpr int kTypeBits = 17;
  static std::uint64_t role_of(NodeId node) { return std::uint64_t{node} << kTypeBits; }
  static std::uint64_t role_of(NodeId node, std::uint16_t type) {
    return role_of(node) | (type + 1U);
  }
  NodeId find(std::uint64_t role) const {
    const auto found = numbers_.find(role);
    return found == numbers_.end() ? kNever : found->second;
  }
  NodeId add(std::uint64_t role);

  std::unordered_map<std::uint64_t, NodeId> numbers_;
  std::vector<std::uint64_t> roles_;
  std::vector<std::vector<NodeId>> destinations_;  ///< [types] numbers, ascending
};

/// The events of a stream with edge types between the numbers of roles.
struct TypedEvents {
  /// events: their times must outlive the object. Fails (unavailable) if the arrays do not fit into
  /// memory.
  explicit TypedEvents(const EventView& events);

  TypedNodes nodes;
  std::vector<NodeId> sources, destinations;
  EventView view;  ///< of these arrays; types: as given
};

}  // namespace frugal::tgn
