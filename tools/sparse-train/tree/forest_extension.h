#pragma once
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/tree/forest_trainer.h"

namespace frugal::sparse {

/// A forest with room for the labels of new data: each label that a tree lacks stands in the leaf
/// that the tree finds most probable for the sum of the label's examples, with a classifier that
/// says no to everything, as the earlier examples would have taught it. `data` has the forest's
/// features and labels, and perhaps new ones behind them. Fails (unavailable) where a leaf would
/// have more than kMostChildren labels.
ForestStart extend_forest(LabelForest forest, const Dataset& data);

}  // namespace frugal::sparse
