#pragma once
#include <span>
#include <string>
#include <vector>

#include "libcore/tables/table_head.h"
#include "tools/sparse-train/data/column_types.h"

namespace frugal::sparse {

/// Types of columns that hold numbers alone, in a table that nothing is declared of: numbers, and
/// whole numbers also categories. They may be amounts or codes. On digits, wine and codes of users,
/// both types together were as accurate as the better of the two. Empty if a column has other
/// values, or all are empty.
/// separator: of the columns; between semicolons numbers may have decimal commas.
std::vector<ColumnSpec> number_columns(std::span<const std::size_t> columns,
                                       std::span<const TableRow> rows, char separator,
                                       const ColumnNames& names);

/// Says that such columns of a table are read as numbers, and how to change it.
void say_numbers(std::span<const ColumnSpec> columns, const std::string& name);

}  // namespace frugal::sparse
