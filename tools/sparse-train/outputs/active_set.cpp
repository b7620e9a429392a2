#include "tools/sparse-train/outputs/active_set.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal::sparse {
namespace {

constexpr std::uint64_t kNegativesStream = 3;
constexpr double kLargestFrequency = 0.999;   ///< keeps log(1 - f) finite
constexpr double kSmallestInclusion = 1e-30;  ///< of a label that nothing but its own examples has

}  // namespace

void PositionLists::clear() {
  begin.assign(1, 0);
  positions.clear();
}

SharedActiveSet::SharedActiveSet(const Dataset& data, std::uint32_t drawn, std::uint64_t seed)
    : data_(data),
      drawn_(drawn),
      seed_(seed),
      log_not_drawn_(drawn * std::log1p(-std::min(1.0 / data.num_labels, kLargestFrequency))),
      frequency_(data.num_labels),
      position_(data.num_labels) {
  const float share = 1.0F / static_cast<float>(std::max<std::size_t>(1, data.size()));
  std::vector<std::uint32_t> count(data.num_labels);
  for (const std::uint32_t l : data.labels) ++count[l];
  for (std::size_t l = 0; l < count.size(); ++l) {
    frequency_[l] = static_cast<float>(count[l]) * share;
  }
}

void SharedActiveSet::build(std::uint64_t batch, std::span<const std::uint32_t> examples,
                            ActiveSet& out) {
  out.labels.clear();
  out.targets.clear();
  out.hard.clear();
  for (const std::uint32_t i : examples) {
    for (const std::uint32_t l : data_.labels_of(i))
      out.targets.positions.push_back(position_of(l, out));
    out.targets.close();
  }
  Rng rng(seed_, hash_combine(kNegativesStream, batch));
  for (std::uint32_t i = 0; i < drawn_; ++i) {
    position_of(static_cast<std::uint32_t>(rng.below(data_.num_labels)), out);
  }
  correct(examples.size(), nullptr, out);
}

void SharedActiveSet::add_candidates(std::span<const std::vector<std::uint32_t>> candidates,
                                     const CandidateSource& source, ActiveSet& out) {
  // The last example that has an output on its list of labels or candidates, plus 1.
  last_user_.assign(out.labels.size(), 0);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const auto user = static_cast<std::uint32_t>(k + 1);
    for (const std::uint32_t p : out.targets.of(k)) last_user_[p] = user;
    for (const std::uint32_t l : candidates[k]) {
      const std::uint32_t p = position_of(l, out);
      if (p == last_user_.size()) last_user_.push_back(0);
      if (last_user_[p] == user) continue;
      last_user_[p] = user;
      out.hard.positions.push_back(p);
    }
    out.hard.close();
  }
  correct(candidates.size(), &source, out);
}

void SharedActiveSet::correct(std::size_t batch_size, const CandidateSource* source,
                              ActiveSet& out) const {
  out.log_inclusion.resize(out.labels.size());
  for (std::size_t j = 0; j < out.labels.size(); ++j) {
    const std::uint32_t l = out.labels[j];
    double f = static_cast<double>(frequency_[l]);
    if (source != nullptr) f += static_cast<double>(source->frequency(l));
    const double log_out = log_not_drawn_ + static_cast<double>(batch_size - 1) *
                                                std::log1p(-std::min(f, kLargestFrequency));
    out.log_inclusion[j] =
        static_cast<float>(std::log(std::max(-std::expm1(log_out), kSmallestInclusion)));
  }
}

/// A place that was noted for an earlier set does not hold the label now, or lies beyond the end.
std::uint32_t SharedActiveSet::position_of(std::uint32_t label, ActiveSet& out) {
  std::uint32_t& position = position_[label];
  if (position >= out.labels.size() || out.labels[position] != label) {
    position = static_cast<std::uint32_t>(out.labels.size());
    out.labels.push_back(label);
  }
  return position;
}

}  // namespace frugal::sparse
