#include "tools/sparse-train/tree/lent_rows.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "tools/sparse-train/tree/row_order.h"

namespace frugal::sparse {

void LentRows::fail_at(std::uint64_t row) const {
  fail(ExitStatus::bad_input, where, ": the weights of row ", row, ", feature ", features[row],
       ", do not fit into their node, expected finite numbers of its children");
}

/// Hashes are spread evenly, so the row lies near its share of the rows. The search widens from
/// there: a directory of all rows would cost more than a few examples.
std::uint64_t LentRows::first_not_before(const Node& node, int bits, std::uint32_t feature) const {
  const auto is_before = [&](std::uint64_t row) {
    return places_before(features[row], feature, bits);
  };
  const std::uint64_t rows = node.end_row - node.first_row;
  if (rows == 0) return node.end_row;
  const std::uint64_t guess = node.first_row + (bucket_of(feature, bits) * rows >> bits);
  std::uint64_t low = guess, high = guess, step = 8;
  if (is_before(guess)) {
    while (high < node.end_row && is_before(high)) {
      low = high + 1;
      high = std::min(node.end_row, high + step);
      step *= 2;
    }
  } else {
    while (low > node.first_row && !is_before(low - 1)) {
      high = low - 1;
      low -= std::min(low - node.first_row, step);
      step *= 2;
    }
  }
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void LentRows::add_products(const Node& node, std::span<const std::uint32_t> some_features,
                            std::span<const float> values, float* scores) const {
  const int bits = directory_bits(node.end_row - node.first_row);
  const std::uint64_t count = node.end_weight - node.first_weight;
  for (std::size_t j = 0; j < some_features.size(); ++j) {
    const std::uint64_t row = first_not_before(node, bits, some_features[j]);
    if (row == node.end_row || features[row] != some_features[j]) continue;
    const std::uint32_t begin = row == node.first_row ? 0 : ends[row - 1];
    if (begin > ends[row] || ends[row] > count) fail_at(row);
    const float value = values.empty() ? 1.0F : values[j];
    for (std::uint64_t w = node.first_weight + begin; w < node.first_weight + ends[row]; ++w) {
      const float weight = to_float(weights[w]);
      if (children[w] >= node.num_children || !std::isfinite(weight)) fail_at(row);
      scores[children[w]] += value * weight;
    }
  }
}

}  // namespace frugal::sparse
