#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "libcore/tables/table_head.h"

namespace frugal::sparse {

/// True if a column of JSON Lines has lists of values.
bool has_lists(std::span<const TableRow> rows, std::size_t column);

/// Fails (bad_input) if the lists of a column have a 0 or 1 for each label, as 1.0, 0.0, 0.0: read
/// as names of labels, they would give each example both labels. column_text: for the message.
void refuse_indicators(std::span<const TableRow> rows, std::size_t column, const std::string& file,
                       const std::string& column_text);

}  // namespace frugal::sparse
