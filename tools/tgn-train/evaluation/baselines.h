#pragma once
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/evaluation_parts.h"
#include "tools/tgn-train/evaluation/link_metrics.h"

namespace frugal::tgn {

struct BaselineOptions {
  /// Events at the same time do not know of each other, as neighbours of twitter-research/tgn do
  /// not; else each knows all before it in the stream.
  bool strictly_earlier = true;
  /// What destinations are ranked among in each part; null: no ranks. Not owned.
  const NegativeSampler* valid_ranks = nullptr;
  const NegativeSampler* test_ranks = nullptr;
};

struct BaselineResult {
  std::string name;    ///< edgebank, edgebank_window, recency, popularity, poptrack, heuristic
  std::string detail;  ///< what it compares candidates by, what validation chose
  LinkMetrics valid, test;
  LinkMetrics new_valid, new_test;  ///< of the events with new nodes
};

/// Predictions without learning, in one pass over the stream: every event, of training too, is
/// remembered once it was scored. Where there is a choice (of popularity's half-life, of the
/// heuristic's order) validation makes it: by mean reciprocal rank if there are ranks, else by
/// average precision. Tests see the choice alone.
std::vector<BaselineResult> evaluate_baselines(const EventView& events,
                                               const EvaluationParts& parts,
                                               const EvaluationNegatives& negatives,
                                               const BaselineOptions& options);

}  // namespace frugal::tgn
