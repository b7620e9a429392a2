#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/tables/table_head.h"

namespace frugal {

/// Statistics of the fields of a column.
struct ColumnProfile {
  std::size_t filled = 0;    ///< fields with a value (is_missing_number() is false)
  std::size_t numbers = 0;   ///< fields that are finite numbers
  std::size_t wholes = 0;    ///< fields that are whole numbers (parse_whole())
  std::size_t dates = 0;     ///< fields that are dates by parse_calendar_moment()
  std::size_t distinct = 0;  ///< different values
  std::size_t words = 0;     ///< words between blanks in all fields together
  bool grows = true;         ///< the numbers or dates never decrease from row to row

  /// All values are numbers, or all are dates; true for a column without values.
  bool is_numeric() const { return numbers == filled; }
  bool is_dated() const { return dates == filled; }
  double mean_words() const {
    return filled == 0 ? 0 : static_cast<double>(words) / static_cast<double>(filled);
  }
};
/// Profiles of all columns; their number is that of the longest row.
std::vector<ColumnProfile> profile_columns(std::span<const TableRow> rows);

}  // namespace frugal
