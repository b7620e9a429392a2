#include "tools/robe-compress/embedding/hot_choice.h"

#include <algorithm>
#include <functional>

namespace frugal {
namespace {

using Counts = std::vector<std::vector<std::uint32_t>>;

/// Rows of a table that occur at least `least` times.
std::uint64_t rows_from(const std::vector<std::uint32_t>& counts, std::uint32_t least) {
  return static_cast<std::uint64_t>(
      std::upper_bound(counts.begin(), counts.end(), least, std::greater<>()) - counts.begin());
}

std::uint64_t rows_from(const Counts& counts, std::uint32_t least) {
  std::uint64_t rows = 0;
  for (const auto& table : counts) rows += rows_from(table, least);
  return rows;
}

/// The smallest count, from 1 on, that at most n rows reach.
std::uint32_t threshold(const Counts& counts, std::uint64_t n) {
  std::uint32_t low = 1, high = 0xffffffff;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (rows_from(counts, middle) <= n) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

std::vector<std::uint32_t> most_frequent(const Counts& counts, std::uint64_t n) {
  const std::uint32_t least = threshold(counts, n);
  std::uint64_t left = n - std::min(n, rows_from(counts, least));
  std::vector<std::uint32_t> rows;
  for (const auto& table : counts) {
    std::uint64_t count = rows_from(table, least);
    if (least > 1) {
      const std::uint64_t ties = std::min(left, rows_from(table, least - 1) - count);
      count += ties;
      left -= ties;
    }
    rows.push_back(static_cast<std::uint32_t>(count));
  }
  return rows;
}

}  // namespace frugal
