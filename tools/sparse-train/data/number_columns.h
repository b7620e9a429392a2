#pragma once
#include <span>
#include <string>
#include <vector>

#include "libcore/tables/column_profile.h"
#include "tools/sparse-train/data/column_types.h"
#include "tools/sparse-train/data/feature_options.h"

namespace frugal::sparse {

/// Types of columns that hold numbers alone, in a table that nothing is declared of: numbers, and
/// whole numbers also categories. They may be amounts or codes. On digits, wine and codes of users,
/// both types together were as accurate as the better of the two. Empty if a column has other
/// values, all are empty, or an option asks for words.
std::vector<ColumnSpec> number_columns(std::span<const std::size_t> columns,
                                       std::span<const ColumnProfile> profiles,
                                       const ColumnNames& names, const FeatureOptions& options);

/// Says that such columns of a table are read as numbers, and how to change it.
void say_numbers(std::span<const ColumnSpec> columns, const std::string& name);

}  // namespace frugal::sparse
