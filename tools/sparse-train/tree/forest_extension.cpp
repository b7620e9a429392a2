#include "tools/sparse-train/tree/forest_extension.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "libcore/base/error.h"
#include "tools/sparse-train/tree/label_features.h"

namespace frugal::sparse {
namespace {

constexpr float kNo = -1;  ///< where the loss of a negative example begins

/// Labels that examples of the data have and the tree lacks, ascending.
std::vector<std::uint32_t> missing_labels(const TreeShape& shape, const Dataset& data) {
  std::vector<bool> missing(data.num_labels);
  for (const std::uint32_t l : data.labels) missing[l] = true;
  for (const std::uint32_t l : shape.labels) missing[l] = false;
  std::vector<std::uint32_t> labels;
  for (std::uint32_t l = 0; l < data.num_labels; ++l) {
    if (missing[l]) labels.push_back(l);
  }
  return labels;
}

std::span<const std::uint32_t> features_of(const SparseRows& rows, std::uint32_t r) {
  return {rows.features.data() + rows.begin[r], rows.features.data() + rows.begin[r + 1]};
}
std::span<const float> values_of(const SparseRows& rows, std::uint32_t r) {
  return {rows.values.data() + rows.begin[r], rows.values.data() + rows.begin[r + 1]};
}

/// The leaf that the best child of each node leads to.
std::uint32_t leaf_of(const LabelTree& tree, std::span<const std::uint32_t> features,
                      std::span<const float> values) {
  std::uint32_t node = 0;
  std::vector<float> scores;
  while (!tree.shape.is_leaf(node)) {
    scores.resize(tree.shape.num_children(node));
    tree.score_children(node, features, values, scores.data());
    const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
    node = tree.shape.slot_begin[node] + static_cast<std::uint32_t>(best) + 1;
  }
  return node;
}

/// Puts the labels behind those of their leaves; the numbers of nodes and children stay.
void insert_labels(const std::map<std::uint32_t, std::vector<std::uint32_t>>& of_leaf,
                   LabelTree& tree) {
  TreeShape shape;
  std::vector<float> bias;
  for (std::uint32_t n = 0; n < tree.shape.num_nodes(); ++n) {
    shape.slot_begin.push_back(static_cast<std::uint32_t>(bias.size()));
    for (std::uint32_t s = tree.shape.slot_begin[n]; s < tree.shape.slot_begin[n + 1]; ++s) {
      bias.push_back(tree.bias[s]);
      if (tree.shape.is_leaf(n)) shape.labels.push_back(tree.shape.label_of(s));
    }
    const auto added = of_leaf.find(n);
    if (added == of_leaf.end()) continue;
    bias.insert(bias.end(), added->second.size(), kNo);
    shape.labels.insert(shape.labels.end(), added->second.begin(), added->second.end());
    const std::size_t children = bias.size() - shape.slot_begin.back();
    if (children > kMostChildren) {
      fail(ExitStatus::unavailable, "a leaf would have ", children, " labels, at most ",
           kMostChildren, " are possible: train anew, with all data");
    }
  }
  shape.slot_begin.push_back(static_cast<std::uint32_t>(bias.size()));
  tree.shape = std::move(shape);
  tree.bias = std::move(bias);
}

/// The slots of `labels` and of all nodes above them.
std::vector<bool> slots_above(const TreeShape& shape, const std::vector<std::uint32_t>& labels) {
  const std::set<std::uint32_t> wanted(labels.begin(), labels.end());
  std::vector<bool> result(shape.num_slots());
  for (std::uint32_t node = shape.num_nodes(); node-- > 0;) {
    bool any = false;
    for (std::uint32_t s = shape.slot_begin[node]; s < shape.slot_begin[node + 1]; ++s) {
      if (shape.is_leaf(node)) result[s] = wanted.count(shape.label_of(s)) != 0;
      any |= result[s];
    }
    if (node > 0) result[node - 1] = any;
  }
  return result;
}

}  // namespace

ForestStart extend_forest(LabelForest forest, const Dataset& data) {
  forest.num_features = data.num_features;
  forest.num_labels = data.num_labels;
  ForestStart start;
  SparseRows features;
  for (LabelTree& tree : forest.trees) {
    const std::vector<std::uint32_t> missing = missing_labels(tree.shape, data);
    start.fresh.emplace_back(tree.shape.num_slots());
    if (missing.empty()) continue;
    if (features.size() == 0) features = label_features(data);
    std::map<std::uint32_t, std::vector<std::uint32_t>> of_leaf;
    for (const std::uint32_t l : missing)
      of_leaf[leaf_of(tree, features_of(features, l), values_of(features, l))].push_back(l);
    insert_labels(of_leaf, tree);
    start.fresh.back() = slots_above(tree.shape, missing);
  }
  start.forest = std::move(forest);
  return start;
}

}  // namespace frugal::sparse
