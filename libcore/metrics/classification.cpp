#include "libcore/metrics/classification.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace frugal {

void Confusion::add_unknown(std::uint32_t predicted) {
  unknown_.resize(num_labels_);
  ++unknown_[predicted];
}

std::uint64_t Confusion::examples() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}) +
         std::accumulate(unknown_.begin(), unknown_.end(), std::uint64_t{0});
}

double Confusion::accuracy() const {
  std::uint64_t right = 0;
  for (std::size_t l = 0; l < num_labels_; ++l) right += count(l, l);
  const std::uint64_t all = examples();
  return all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all);
}

double Confusion::f1(std::size_t label) const {
  std::uint64_t actual = 0, predicted = unknown_.empty() ? 0 : unknown_[label];
  for (std::size_t l = 0; l < num_labels_; ++l) {
    actual += count(label, l);
    predicted += count(l, label);
  }
  const std::uint64_t both = actual + predicted;
  return both == 0 ? 0 : 2 * static_cast<double>(count(label, label)) / static_cast<double>(both);
}

double Confusion::macro_f1() const {
  double sum = 0;
  std::size_t labels = 0;
  for (std::size_t l = 0; l < num_labels_; ++l) {
    std::uint64_t occurs = unknown_.empty() ? 0 : unknown_[l];
    for (std::size_t other = 0; other < num_labels_; ++other)
      occurs += count(l, other) + count(other, l);
    if (occurs == 0) continue;
    sum += f1(l);
    ++labels;
  }
  return labels == 0 ? 0 : sum / static_cast<double>(labels);
}

double log_loss(std::span<const float> probability_of_positive,
                std::span<const std::uint8_t> positive) {
  double sum = 0;
  for (std::size_t i = 0; i < positive.size(); ++i) {
    const double p = std::clamp(static_cast<double>(probability_of_positive[i]), 1e-15, 1 - 1e-15);
    sum -= std::log(positive[i] != 0 ? p : 1 - p);
  }
  return positive.empty() ? 0 : sum / static_cast<double>(positive.size());
}

}  // namespace frugal
