#pragma once
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/label_forest.h"

namespace frugal {

/// A forest with room for the labels of new data: each label that a tree lacks stands in the leaf
/// that the tree finds most probable for the sum of the label's examples, with a classifier that
/// knows nothing yet. `data` has the forest's features and labels, and perhaps new ones behind
/// them. Fails (unavailable) where a leaf would have more than kMostChildren labels.
LabelForest extend_forest(LabelForest forest, const Dataset& data);

}  // namespace frugal
