#include "tools/robe-compress/fit/slot_sums.h"

#include <algorithm>
#include <vector>

#include "libcore/threading/parallel.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kSlotsAtATime = std::size_t{1} << 14;
constexpr std::size_t kLineNumbers = 64 / sizeof(double);

}  // namespace

SlotSums::SlotSums(std::uint64_t begin, std::uint64_t end, Blocks blocks)
    : begin_(begin),
      end_(end),
      length_(blocks.length),
      first_start_(begin - std::min<std::uint64_t>(begin, blocks.length - 1)),
      numerators_(end - begin),
      starts_(end - first_start_),
      shorter_(blocks.some_shorter ? end - begin : 0) {}

void SlotSums::add(std::uint64_t slot, double weight, const float* x, std::size_t n) {
  if (n == length_) {
    if (slot < first_start_ || slot >= end_) return;
    starts_[slot - first_start_] += weight;
    if (slot >= begin_ && slot + n <= end_) {
      double* const numerators = numerators_.data() + (slot - begin_);
      for (std::size_t i = 0; i < n; ++i) numerators[i] += weight * static_cast<double>(x[i]);
      return;
    }
  }
  const std::uint64_t from = std::max(slot, begin_), to = std::min(slot + n, end_);
  for (std::uint64_t s = from; s < to; ++s) {
    numerators_[s - begin_] += weight * static_cast<double>(x[s - slot]);
    if (n != length_) shorter_[s - begin_] += weight;
  }
}

void SlotSums::prefetch(std::uint64_t slot) const {
  if (slot < begin_ || slot >= end_) return;
  const std::size_t at = slot - begin_, last = std::min(at + length_, numerators_.size()) - 1;
  __builtin_prefetch(&starts_[slot - first_start_], 1);
  for (std::size_t i = at; i < last; i += kLineNumbers) __builtin_prefetch(&numerators_[i], 1);
  __builtin_prefetch(&numerators_[last], 1);
}

/// Slots begin + [from, to).
double SlotSums::solve_piece(std::size_t from, std::size_t to, float* values) const {
  std::vector<double> weights(to - from);
  if (!shorter_.empty()) std::copy_n(shorter_.data() + from, weights.size(), weights.data());
  const std::size_t before = begin_ - first_start_;
  for (std::size_t j = 0; j < length_; ++j) {  // blocks that begin j slots before
    const std::size_t skipped = from + before < j ? j - from - before : 0;
    const double* const starts = starts_.data() + (from + before + skipped - j);
    for (std::size_t i = skipped; i < weights.size(); ++i) weights[i] += starts[i - skipped];
  }
  double explained = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double numerator = numerators_[from + i];
    const double value = weights[i] > 0 ? numerator / weights[i] : 0;
    values[from + i] = static_cast<float>(value);
    explained += value * numerator;
  }
  return explained;
}

double SlotSums::solve(float* values) const {
  const std::size_t n = numerators_.size(), pieces = (n + kSlotsAtATime - 1) / kSlotsAtATime;
  std::vector<double> explained(pieces);
  parallel_for(pieces, 1, [&](std::size_t p) {
    explained[p] = solve_piece(p * kSlotsAtATime, std::min(n, (p + 1) * kSlotsAtATime), values);
  });
  double total = 0;
  for (const double part : explained) total += part;
  return total;
}

}  // namespace frugal::robe
