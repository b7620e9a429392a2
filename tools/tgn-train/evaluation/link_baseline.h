#pragma once
#include <cstdint>

#include "tools/tgn-train/evaluation/interaction_history.h"

namespace frugal::tgn {

/// Predicts links from meetings so far, without learning.
class LinkBaseline {
 public:
  virtual ~LinkBaseline() = default;

  /// Ranks the candidates of one event, exactly: the likelier, the larger.
  virtual std::uint64_t key(const PairFacts& facts, EventId event) const = 0;
  /// The same order to within rounding, on a scale that events share; not negative.
  virtual float score(const PairFacts& facts, EventId event) const = 0;
};

}  // namespace frugal::tgn
