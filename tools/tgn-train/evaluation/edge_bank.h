#pragma once
#include <limits>

#include "tools/tgn-train/evaluation/link_baseline.h"

namespace frugal::tgn {

/// Expects what was there before: 1 for a source and a destination that met, of late if there is a
/// window, else 0 (EdgeBank: Poursafaei et al., "Towards better evaluation for dynamic link
/// prediction", NeurIPS 2022, section 5; there the window is as long as the validation part).
class EdgeBank : public LinkBaseline {
 public:
  /// window: the longest time since the last meeting that counts.
  explicit EdgeBank(const EventTimes& times,
                    double window = std::numeric_limits<double>::infinity())
      : times_(times), window_(window) {}

  std::uint64_t key(const PairFacts& facts, EventId event) const override {
    return facts.link != kNoEvent && times_.between(facts.link, event) <= window_ ? 1 : 0;
  }
  float score(const PairFacts& facts, EventId event) const override {
    return static_cast<float>(key(facts, event));
  }

 private:
  EventTimes times_;
  double window_;
};

}  // namespace frugal::tgn
