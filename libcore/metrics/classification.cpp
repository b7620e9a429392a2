#include "libcore/metrics/classification.h"

#include <numeric>

namespace frugal {

std::uint64_t Confusion::examples() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

double Confusion::accuracy() const {
  std::uint64_t right = 0;
  for (std::size_t l = 0; l < num_labels_; ++l) right += count(l, l);
  const std::uint64_t all = examples();
  return all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all);
}

double Confusion::f1(std::size_t label) const {
  std::uint64_t actual = 0, predicted = 0;
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
    std::uint64_t occurs = 0;
    for (std::size_t other = 0; other < num_labels_; ++other)
      occurs += count(l, other) + count(other, l);
    if (occurs == 0) continue;
    sum += f1(l);
    ++labels;
  }
  return labels == 0 ? 0 : sum / static_cast<double>(labels);
}

}  // namespace frugal
