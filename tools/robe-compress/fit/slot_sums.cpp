#include "tools/robe-compress/fit/slot_sums.h"

#include <algorithm>
#include <vector>

#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::size_t kSlotsAtATime = std::size_t{1} << 16;
constexpr std::size_t kLineNumbers = 64 / sizeof(double);

}  // namespace

SlotSums::SlotSums(std::uint64_t begin, std::uint64_t end)
    : begin_(begin), end_(end), numerators_(end - begin), denominators_(end - begin) {}

void SlotSums::add_clipped(std::uint64_t slot, double weight, const float* x, std::size_t n) {
  const std::uint64_t from = std::max(slot, begin_), to = std::min(slot + n, end_);
  if (from < to) add_inside(from - begin_, weight, x + (from - slot), to - from);
}

void SlotSums::prefetch(std::uint64_t slot, std::size_t n) const {
  if (slot < begin_ || slot >= end_) return;
  const std::size_t at = slot - begin_, last = std::min(at + n, numerators_.size()) - 1;
  for (std::size_t i = at; i < last; i += kLineNumbers) {
    __builtin_prefetch(&numerators_[i], 1);
    __builtin_prefetch(&denominators_[i], 1);
  }
  __builtin_prefetch(&numerators_[last], 1);
  __builtin_prefetch(&denominators_[last], 1);
}

double SlotSums::solve(float* values) const {
  const std::size_t n = numerators_.size(), pieces = (n + kSlotsAtATime - 1) / kSlotsAtATime;
  std::vector<double> explained(pieces);
  parallel_for(pieces, 1, [&](std::size_t p) {
    double sum = 0;
    for (std::size_t i = p * kSlotsAtATime; i < std::min(n, (p + 1) * kSlotsAtATime); ++i) {
      const double value = denominators_[i] > 0 ? numerators_[i] / denominators_[i] : 0;
      values[i] = static_cast<float>(value);
      sum += value * numerators_[i];
    }
    explained[p] = sum;
  });
  double total = 0;
  for (const double sum : explained) total += sum;
  return total;
}

}  // namespace frugal
