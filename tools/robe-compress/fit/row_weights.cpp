#include "tools/robe-compress/fit/row_weights.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/embedding/hot_rows.h"

namespace frugal::robe {

RowWeights::RowWeights(Array<float> weights, const TableSet& tables, const std::string& path)
    : weights_(std::move(weights)), descend_(true) {
  constexpr float kMax = std::numeric_limits<float>::max();
  smallest_ = kMax;
  bool any = false;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const std::uint64_t first = tables.first_row(t);
    float before = kMax;
    for (std::uint64_t x = 0; x < tables.table(t).rows; ++x) {
      const float weight = weights_[first + x];
      descend_ = descend_ && weight <= before;
      if (x > 0) before = weight;
      if (weight <= 0) continue;
      any = true;
      smallest_ = std::min(smallest_, weight);
    }
  }
  if (!any) fail(ExitStatus::bad_input, path, ": all counts are 0");
}

std::vector<std::uint64_t> RowWeights::heaviest(std::uint64_t n) const {
  // Floats from 0 on are in the order of their bits.
  return heaviest_rows(n, [this](const auto& use) {
    for (const float weight : weights_) use(weight > 0 ? std::bit_cast<std::uint32_t>(weight) : 0);
  });
}

}  // namespace frugal::robe
