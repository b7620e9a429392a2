#pragma once
#include <string>

#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/table_file.h"

namespace frugal::robe {

/// Frequencies of the tables' rows from the tensors NAME.counts in the same file; 1 for every row
/// if there are none. Fails (bad_input) if one table lacks them, or if they have another length,
/// are negative, not finite, or all 0.
RowWeights counts_in(TableFile& file);

/// Frequencies of the tables' rows from a separate file: tensors NAME.counts or NAME (tensor file,
/// .npy, .npz), or .csv, .tsv or .jsonl with names of columns table, row and count. In the latter,
/// rows may be missing (0) or repeated (added up). Ignores counts of other tables.
RowWeights read_counts(const std::string& path, const TableSet& tables);

}  // namespace frugal::robe
