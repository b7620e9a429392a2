#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace frugal {

/// The `n` rows with the largest keys, ascending; of equal ones the first, none of key 0.
/// each_key(use) calls use(key) with 32 bits without sign for every row, in order; it is asked
/// three times.
template <class EachKey>
std::vector<std::uint64_t> heaviest_rows(std::uint64_t n, const EachKey& each_key) {
  // The n-th key is found by its upper, then its lower half.
  std::vector<std::uint64_t> histogram(std::size_t{1} << 16);
  std::uint64_t positive = 0;
  each_key([&](std::uint32_t key) {
    ++histogram[key >> 16];
    positive += key != 0 ? 1 : 0;
  });
  n = std::min(n, positive);
  std::vector<std::uint64_t> rows;
  if (n == 0) return rows;
  std::uint64_t left = n;
  const auto find_half = [&] {
    std::uint32_t half = 0xffff;
    while (histogram[half] < left) left -= histogram[half--];
    return half;
  };
  const std::uint32_t high = find_half();
  std::fill(histogram.begin(), histogram.end(), 0);
  each_key([&](std::uint32_t key) {
    if (key >> 16 == high) ++histogram[key & 0xffff];
  });
  const std::uint32_t least = high << 16 | find_half();
  rows.reserve(n);
  std::uint64_t row = 0;
  each_key([&](std::uint32_t key) {  // `left` of those that are equal to it
    if (key > least || (key == least && left > 0)) rows.push_back(row);
    if (key == least && left > 0) --left;
    ++row;
  });
  return rows;
}

}  // namespace frugal
