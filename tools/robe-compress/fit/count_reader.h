#pragma once
#include <string>

#include "tools/robe-compress/fit/row_weights.h"
#include "tools/robe-compress/fit/table_file.h"

namespace frugal::robe {

/// How often the rows of tables occur, from the tensors NAME.counts beside them; 1 for every row
/// where there are none. Fails (bad_input) if one table lacks them, they are of another length,
/// negative or not finite, or all 0.
RowWeights counts_in(TableFile& file);

/// The same from a file of its own: tensors NAME.counts or NAME (tensor file, .npy, .npz), or .csv
/// or .tsv with a first line and the columns table, row and count, where rows may be missing (0) or
/// repeated (sums). Counts of other tables are passed over.
RowWeights read_counts(const std::string& path, const TableSet& tables);

}  // namespace frugal::robe
