#pragma once
#include <vector>

#include "tools/sparse-train/tree/label_forest.h"

namespace frugal::sparse {

/// What a forest that is trained further begins from: a forest with room for all labels of the
/// data.
struct ForestStart {
  LabelForest forest;
  /// By tree and slot: whether a label that the tree did not know is the slot's, or stands below
  /// it.
  std::vector<std::vector<bool>> fresh;
};

}  // namespace frugal::sparse
