#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/float16.h"
#include "tools/sparse-train/tree/lent_rows.h"

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
  /// As check(), but a label may stand twice, which makes it too probable and nothing else.
  void check_outline(const std::string& where, std::uint32_t num_labels) const;

  bool operator==(const TreeShape&) const = default;
};

/// One weight of a classifier: `child` counts the slots of its node.
struct ChildWeight {
  std::uint16_t child = 0;
  BFloat16 weight;

  float value() const { return to_float(weight); }
};

/// Most slots of a node.
inline constexpr std::uint32_t kMostChildren = 65536;

/// The weights of a node's classifiers, by feature: for each row the feature and its weights, those
/// of children that have none left out. Rows are in the order of row_order.h.
struct NodeWeights {
  std::vector<std::uint32_t> features;
  std::vector<std::uint32_t> ends;  ///< where the weights of each row end
  std::vector<ChildWeight> weights;

  std::size_t num_bytes() const {
    return 4 * (features.size() + ends.size()) + sizeof(ChildWeight) * weights.size();
  }
};

/// A label tree with a linear classifier for each slot. All children of a node share one chunk of
/// weights, keyed by feature, so that an example's features are looked up once for all of them
/// (Etter et al., "Accelerating inference for sparse extreme multi-label ranking trees", WWW 2022:
/// masked sparse chunk multiplication, with hash maps).
struct LabelTree {
  TreeShape shape;
  std::vector<float> bias;                  ///< [slots]
  std::vector<std::uint64_t> row_begin;     ///< [nodes + 1] rows of each node
  std::vector<std::uint32_t> features;      ///< [rows]
  std::vector<std::uint64_t> weight_begin;  ///< [nodes + 1] weights of each node
  std::vector<std::uint32_t> ends;          ///< [rows] of its weights, from its node's on
  std::vector<ChildWeight> weights;
  /// Stand for features, ends and weights, which are empty then.
  std::optional<LentRows> lent;

  /// The rows of a node whose feature's hash begins with the same bits are neighbours; a directory
  /// says where they begin. Made of the rest by build_directory().
  std::vector<std::uint64_t> directory_begin;  ///< [nodes + 1]
  std::vector<std::uint32_t> directory;        ///< from the node's first row on

  /// Fails (bad_input), beginning with `where`, unless every index is in range and every order as
  /// described. With lent rows, checks the outline alone: rows are checked when they are used.
  void check(const std::string& where, std::uint32_t num_features, std::uint32_t num_labels) const;
  void build_directory();

  /// scores[c] = bias + w.x of child c of `node`, for all of its children.
  void score_children(std::uint32_t node, std::span<const std::uint32_t> features_of_example,
                      std::span<const float> values, float* scores) const;
  std::uint64_t num_bytes() const;

 private:
  void check_rows(const std::string& where, std::uint32_t num_features) const;
  void add_products(std::uint32_t node, std::span<const std::uint32_t> some_features,
                    std::span<const float> values, float* scores) const;
};

}  // namespace frugal::sparse
