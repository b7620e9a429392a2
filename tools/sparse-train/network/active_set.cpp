#include "tools/sparse-train/network/active_set.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"

namespace frugal {
namespace {

constexpr std::uint64_t kStream = 3;
constexpr double kLargestFrequency = 0.999;  ///< keeps log(1 - f) finite

}  // namespace

UniformCandidates::UniformCandidates(std::uint32_t num_labels, std::uint32_t count,
                                     std::uint64_t seed)
    : num_labels_(num_labels),
      count_(count),
      seed_(seed),
      log_missed_(count * std::log1p(-std::min(1.0 / num_labels, kLargestFrequency))) {}

void UniformCandidates::candidates(std::uint64_t batch, std::span<const std::uint32_t>,
                                   std::vector<std::uint32_t>& out) const {
  Rng rng(seed_, hash_combine(kStream, batch));
  for (std::uint32_t i = 0; i < count_; ++i)
    out.push_back(static_cast<std::uint32_t>(rng.below(num_labels_)));
}

double UniformCandidates::log_missed(std::uint32_t) const { return log_missed_; }

SharedActiveSet::SharedActiveSet(const Dataset& data, const CandidateSource& source)
    : data_(data), source_(source), log_absent_(data.num_labels), position_(data.num_labels) {
  std::vector<std::uint32_t> count(data.num_labels);
  for (const std::uint32_t l : data.labels) ++count[l];
  const double n = static_cast<double>(std::max<std::size_t>(1, data.size()));
  for (std::size_t l = 0; l < count.size(); ++l) {
    log_absent_[l] = static_cast<float>(std::log1p(-std::min(count[l] / n, kLargestFrequency)));
  }
}

void SharedActiveSet::build(std::uint64_t batch, std::span<const std::uint32_t> examples,
                            ActiveSet& out) {
  out.labels.clear();
  out.targets.clear();
  out.target_begin.assign(1, 0);
  for (const std::uint32_t i : examples) {
    for (const std::uint32_t l : data_.labels_of(i)) out.targets.push_back(position_of(l, out));
    out.target_begin.push_back(static_cast<std::uint32_t>(out.targets.size()));
  }
  candidates_.clear();
  source_.candidates(batch, examples, candidates_);
  for (const std::uint32_t l : candidates_) position_of(l, out);

  out.log_inclusion.resize(out.labels.size());
  for (std::size_t j = 0; j < out.labels.size(); ++j) {
    const std::uint32_t l = out.labels[j];
    const double log_out =
        source_.log_missed(l) + static_cast<double>(examples.size()) * log_absent_[l];
    out.log_inclusion[j] = static_cast<float>(std::log(-std::expm1(log_out)));
    position_[l] = 0;
  }
}

std::uint32_t SharedActiveSet::position_of(std::uint32_t label, ActiveSet& out) {
  std::uint32_t& position = position_[label];
  if (position == 0) {
    out.labels.push_back(label);
    position = static_cast<std::uint32_t>(out.labels.size());
  }
  return position - 1;
}

}  // namespace frugal
