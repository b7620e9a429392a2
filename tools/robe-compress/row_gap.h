#pragma once
#include <cstdint>

namespace frugal::robe {

/// Rows of a table that no category has, for they are another table's.
struct RowGap {
  std::uint64_t row = 0;  ///< the first
  std::uint64_t count = 0;

  bool operator==(const RowGap&) const = default;
};

}  // namespace frugal::robe
