#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/tables/table_columns.h"

namespace frugal::sparse {

/// What a column of examples means.
enum class ColumnType { text, category, number, date, label, ignore };
const ColumnTypes<ColumnType>& column_types();
/// A column as the user declares it.
using ColumnSpec = ColumnTypes<ColumnType>::Column;

/// Of --columns; fails (usage) also where there is nothing to learn from.
std::vector<ColumnSpec> parse_columns(std::string_view text);

/// The features of a column with that name are told from those of other columns by this.
std::uint64_t column_salt(std::string_view name);

}  // namespace frugal::sparse
