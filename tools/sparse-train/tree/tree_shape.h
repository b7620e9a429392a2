#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frugal::sparse {

/// The nodes of a label tree, numbered level by level from the root, 0. What a node chooses among
/// are its slots, [slot_begin[n], slot_begin[n + 1]): in an inner node each is a node of the next
/// level, in a leaf a label. Slots are numbered through as nodes are, so slot s leads to node s + 1
/// or, from slot num_nodes() - 1 on, to label labels[s - (num_nodes() - 1)].
struct TreeShape {
  std::vector<std::uint32_t> slot_begin;
  std::vector<std::uint32_t> labels;  ///< each at most once

  std::uint32_t num_nodes() const { return static_cast<std::uint32_t>(slot_begin.size() - 1); }
  std::uint32_t num_slots() const { return slot_begin.back(); }
  std::uint32_t first_label_slot() const { return num_nodes() - 1; }
  bool is_leaf(std::uint32_t node) const { return slot_begin[node] >= first_label_slot(); }
  std::uint32_t num_children(std::uint32_t node) const {
    return slot_begin[node + 1] - slot_begin[node];
  }
  std::uint32_t label_of(std::uint32_t slot) const { return labels[slot - first_label_slot()]; }

  /// Fails (bad_input), beginning with `where`, unless the arrays describe a tree over labels below
  /// `num_labels`.
  void check(const std::string& where, std::uint32_t num_labels) const;

  bool operator==(const TreeShape&) const = default;
};

}  // namespace frugal::sparse
