#include "tools/robe-compress/fit/row_weights.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "libcore/base/error.h"

namespace frugal {

RowWeights::RowWeights(Array<float> weights, const TableSet& tables, const std::string& path)
    : weights_(std::move(weights)), descend_(true) {
  smallest_ = std::numeric_limits<float>::max();
  for (std::size_t t = 0; t < tables.size(); ++t) {
    float before = std::numeric_limits<float>::max();
    for (std::uint64_t v = tables.first_row(t); v < tables.first_row(t) + tables.table(t).rows;
         ++v) {
      const float weight = weights_[v];
      descend_ = descend_ && weight <= before;
      before = weight;
      if (weight <= 0) continue;
      ++num_positive_;
      smallest_ = std::min(smallest_, weight);
    }
  }
  if (num_positive_ == 0) fail(ExitStatus::bad_input, path, ": all counts are 0");
}

std::vector<std::uint64_t> RowWeights::heaviest(std::uint64_t n) const {
  n = std::min(n, num_positive_);
  std::vector<std::uint64_t> rows;
  if (n == 0) return rows;
  // Floats above 0 are in the order of their bits: the n-th is found by its upper, then its lower
  // half.
  const auto bits = [&](std::uint64_t v) { return std::bit_cast<std::uint32_t>(weights_[v]); };
  std::vector<std::uint64_t> histogram(std::size_t{1} << 16);
  const auto find_half = [&](std::uint64_t& left) {
    std::uint32_t half = 0xffff;
    while (histogram[half] < left) left -= histogram[half--];
    return half;
  };
  std::uint64_t left = n;
  for (std::uint64_t v = 0; v < weights_.size(); ++v) ++histogram[bits(v) >> 16];
  const std::uint32_t high = find_half(left);
  std::fill(histogram.begin(), histogram.end(), 0);
  for (std::uint64_t v = 0; v < weights_.size(); ++v) {
    if (bits(v) >> 16 == high) ++histogram[bits(v) & 0xffff];
  }
  const std::uint32_t least = high << 16 | find_half(left);
  rows.reserve(n);
  for (std::uint64_t v = 0; v < weights_.size(); ++v) {  // `left` of those that are equal to it
    if (bits(v) < least || (bits(v) == least && left == 0)) continue;
    if (bits(v) == least) --left;
    rows.push_back(v);
  }
  return rows;
}

}  // namespace frugal
