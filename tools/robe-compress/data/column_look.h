#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "libcore/io/delimited.h"

namespace frugal::robe {

/// What the first records of a text have in a column; missing values do not count.
struct ColumnLook {
  std::size_t values = 0;    ///< different ones
  bool are_numbers = true;   ///< all
  bool are_whole = true;     ///< all: 3 and 3.0, but not 3.5
  bool has_decimal = false;  ///< one has a decimal point
};

/// Of each of the columns. text: records without a header, the last may be cut off.
std::vector<ColumnLook> look_at_columns(std::string_view text, DelimitedStyle style,
                                        std::size_t columns);

}  // namespace frugal::robe
