#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "libcore/base/float16.h"

namespace frugal::sparse {

/// The rows of a tree's nodes as views of a model's document, where children and weights lie apart.
/// Nothing is read before it is used, so damage is found when a row is used.
struct LentRows {
  std::span<const std::uint32_t> features;  ///< LabelTree::features
  std::span<const std::uint32_t> ends;      ///< LabelTree::ends
  std::span<const std::uint16_t> children;  ///< [weights]
  std::span<const BFloat16> weights;
  std::string where;  ///< path and number of the tree, for errors

  /// A node's part of the arrays.
  struct Node {
    std::uint64_t first_row, end_row;
    std::uint64_t first_weight, end_weight;
    std::uint32_t num_children;
  };

  /// scores[c] += w.x of each child c of the node, in the order of the example's features. values:
  /// of these, or empty for ones. Fails (bad_input) where a row does not fit into its node.
  void add_products(const Node& node, std::span<const std::uint32_t> some_features,
                    std::span<const float> values, float* scores) const;

 private:
  std::uint64_t first_not_before(const Node& node, int bits, std::uint32_t feature) const;
  [[noreturn]] void fail_at(std::uint64_t row) const;
};

}  // namespace frugal::sparse
