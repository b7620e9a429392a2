#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// What a reader of data may have got wrong without an error: warnings where a fifth of the lines
/// or examples hold nothing.

void warn_of_empty_lines(const std::string& path, std::uint64_t empty, std::uint64_t lines);

/// Of examples without labels and without features. known = "": of any; else what the labels and
/// features are to be known to, "the model".
void warn_of_gaps(const std::string& path, const Dataset& data, const std::string& known = "");

/// Warns of columns whose values the model does not know.
void warn_of_unknown_values(const std::string& path, const std::vector<ColumnValues>& columns);

/// Fails (bad_input) where all examples have one label, the same: there is nothing to tell apart.
void check_labels_differ(const std::string& path, const Dataset& data,
                         const std::vector<std::string>& label_names);

/// Whether nearly every example has a label of its own: then the labels are none.
bool labels_hardly_repeat(const Dataset& data);

/// Names like "earn;acq" of a field that nobody splits: the separator that makes fewer labels of
/// them, and an example of such a name; nothing where the names look like single labels.
struct JoinedLabels {
  std::string separator;
  std::string example;
};
JoinedLabels find_joined_labels(const std::vector<std::string>& names);

}  // namespace frugal::sparse
