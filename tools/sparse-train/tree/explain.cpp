#include "tools/sparse-train/tree/explain.h"

#include <algorithm>

namespace frugal::sparse {
namespace {

/// Adds what the classifier of one slot gives to each feature.
void add_slot(const LabelTree& tree, std::uint32_t node, std::uint32_t slot,
              std::span<const std::uint32_t> features, std::span<const float> values,
              LabelShares& shares) {
  std::vector<float> scores(tree.shape.num_children(node));
  const std::uint32_t child = slot - tree.shape.slot_begin[node];
  shares.rest += tree.bias[slot];
  shares.total += tree.bias[slot];
  for (std::size_t j = 0; j < features.size(); ++j) {
    const float value = values.empty() ? 1.0F : values[j];
    tree.score_children(node, features.subspan(j, 1), {&value, 1}, scores.data());
    const float share = scores[child] - tree.bias[slot];
    shares.features[j] += share;
    shares.total += share;
  }
}

/// Follows the way up from a label's slot: slot s leads to node s + 1.
void add_way(const LabelTree& tree, std::uint32_t slot, std::span<const std::uint32_t> features,
             std::span<const float> values, LabelShares& shares) {
  const std::vector<std::uint32_t>& begins = tree.shape.slot_begin;
  for (;;) {
    const auto next = std::upper_bound(begins.begin(), begins.end(), slot);
    const auto node = static_cast<std::uint32_t>(next - begins.begin() - 1);
    add_slot(tree, node, slot, features, values, shares);
    if (node == 0) return;
    slot = node - 1;
  }
}

}  // namespace

LabelShares explain_margins(const LabelForest& forest, std::span<const std::uint32_t> features,
                            std::span<const float> values, std::uint32_t label) {
  LabelShares shares;
  shares.features.resize(features.size());
  float trees = 0;
  for (const LabelTree& tree : forest.trees) {
    const std::vector<std::uint32_t>& labels = tree.shape.labels;
    const auto found = std::find(labels.begin(), labels.end(), label);
    if (found == labels.end()) continue;
    const auto place = static_cast<std::uint32_t>(found - labels.begin());
    add_way(tree, tree.shape.first_label_slot() + place, features, values, shares);
    ++trees;
  }
  if (trees == 0) return shares;
  for (float& share : shares.features) share /= trees;
  shares.rest /= trees;
  shares.total /= trees;
  return shares;
}

}  // namespace frugal::sparse
