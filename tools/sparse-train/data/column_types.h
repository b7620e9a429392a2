#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/tables/table_columns.h"

namespace frugal::sparse {

/// Meaning of a column of examples.
enum class ColumnType { text, category, number, date, label, ignore };
const ColumnTypes<ColumnType>& column_types();
/// A column as declared by the user.
using ColumnSpec = ColumnTypes<ColumnType>::Column;

/// Parses --columns. Fails (usage) for invalid declarations, and if no column has features.
std::vector<ColumnSpec> parse_columns(std::string_view text);

/// Salt for hashes of a column's features, which distinguishes them from other columns' features.
std::uint64_t column_salt(std::string_view name);

}  // namespace frugal::sparse
