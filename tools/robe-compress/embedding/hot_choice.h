#pragma once
#include <cstdint>
#include <vector>

namespace frugal {

/// How many of each table's first rows are among the `n` most frequent of all tables, where rows
/// descend in frequency. counts[t][x]: of row x of table t. Of rows with equal counts those of the
/// first tables are taken; rows that never occur are not.
std::vector<std::uint32_t> most_frequent(const std::vector<std::vector<std::uint32_t>>& counts,
                                         std::uint64_t n);

}  // namespace frugal
