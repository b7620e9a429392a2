#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "libcore/tables/delimited.h"

namespace frugal::robe {

/// Counts of the values of a column in the first records; missing values do not count.
struct ColumnLook {
  std::size_t values = 0;     ///< different ones
  bool are_numbers = true;    ///< all
  bool are_written = true;    ///< all, or like 1,030, $1.03 and 5 %
  bool are_whole = true;      ///< all: 3, 3.0 and 003, but not 3.5, and not 03 beside 3
  bool has_fraction = false;  ///< one is a number between whole ones
  bool has_negative = false;  ///< one is below 0
  bool are_classes = true;    ///< all: 0, 1 or -1
  double first = 0;           ///< the first number
  double largest = 0;         ///< of their absolute values
};

/// Looks at each column. text: records without a header, the last may be cut off.
std::vector<ColumnLook> look_at_columns(std::string_view text, DelimitedStyle style,
                                        std::size_t columns);

}  // namespace frugal::robe
