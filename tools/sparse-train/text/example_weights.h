#pragma once
#include <string>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/text/label_table.h"

namespace frugal::sparse {

/// Sets the weights of training examples as FeatureOptions::weights says, scaled to a mean of 1:
/// "balanced", where all labels have the same sum; a column's, which are there already; else a file
/// of lines "label,weight", other labels having 1. An example with several labels has the mean of
/// theirs, one without labels 1. `name`: of the data, for messages. Fails (usage) where `weights`
/// is neither a column nor a file; bad_input for lines that are no weights and labels not in
/// `labels`.
void set_example_weights(const std::string& weights, const LabelTable& labels,
                         const std::string& name, Dataset& data);

}  // namespace frugal::sparse
