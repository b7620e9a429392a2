#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// Warnings about data that may have been misread without an error: if a fifth of the lines or
/// examples is empty.

void warn_of_empty_lines(const std::string& path, std::uint64_t empty, std::uint64_t lines);

/// Warns of examples without labels and without features. known: "" for any labels and features;
/// otherwise the name of what must know them, e.g. "the model".
void warn_of_gaps(const std::string& path, const Dataset& data, const std::string& known = "");

/// Warns if a fifth of the examples has no feature. advice: completes "have no feature".
void warn_of_no_features(const std::string& path, std::uint64_t featureless, std::uint64_t examples,
                         const std::string& advice);

/// Warns of columns whose values are unknown to the model.
void warn_of_unknown_values(const std::string& path, const std::vector<ColumnValues>& columns);

/// Fails (bad_input) if all examples have the same single label: there is nothing to learn.
void check_labels_differ(const std::string& path, const Dataset& data,
                         const std::vector<std::string>& label_names);

/// True if nearly every example has its own label, so that the column cannot be one of labels.
bool labels_hardly_repeat(const Dataset& data);

/// Result of find_joined_labels() for label names like "earn;acq": the separator that splits them
/// into fewer labels, and an example. Empty if the names look like single labels.
struct JoinedLabels {
  std::string separator;
  std::string example;
};
JoinedLabels find_joined_labels(const std::vector<std::string>& names);

/// A name like "sport,goal" if a comma joins many labels of fastText lines with the word after
/// them: names with commas that begin with few labels. Empty if the names look like labels.
std::string find_label_with_word(const std::vector<std::string>& names);

}  // namespace frugal::sparse
