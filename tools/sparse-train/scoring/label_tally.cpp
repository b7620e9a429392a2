#include "tools/sparse-train/scoring/label_tally.h"

#include <algorithm>

namespace frugal::sparse {

void LabelTally::add(std::span<const std::uint32_t> predicted,
                     std::span<const std::uint32_t> actual) {
  for (const std::uint32_t label : actual) ++labels_[label].actual;
  for (const std::uint32_t label : predicted) {
    ++labels_[label].predicted;
    labels_[label].hits += std::find(actual.begin(), actual.end(), label) != actual.end();
  }
}

LabelTally::Counts LabelTally::total() const {
  Counts sum;
  for (const Counts& c : labels_) {
    sum.hits += c.hits;
    sum.predicted += c.predicted;
    sum.actual += c.actual;
  }
  return sum;
}

double LabelTally::macro_f1() const {
  double sum = 0;
  std::uint64_t count = 0;
  for (const Counts& c : labels_) {
    if (c.predicted + c.actual == 0) continue;
    sum += c.f1();
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace frugal::sparse
