#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace frugal {

/// Sparse input of one example: row numbers of a table, and their weights. Empty weights: all 1.
struct Bag {
  std::span<const std::uint32_t> rows;
  std::span<const float> weights;

  Bag part(std::size_t begin, std::size_t end) const {
    return {rows.subspan(begin, end - begin),
            weights.empty() ? weights : weights.subspan(begin, end - begin)};
  }
};

}  // namespace frugal
