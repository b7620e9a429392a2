#pragma once
#include <cstdint>

#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/search/text_candidate.h"

namespace frugal::sparse {

/// About how many multiplications a training with these settings takes: what orders configurations
/// by their CPU time. facts: of the data as `fixed` makes them.
double estimated_cost(const TrainOptions& fixed, const Settings& settings, const DataFacts& facts);

/// The settings of configuration number `number` > 0, drawn around the planner's choices for the
/// data; what the user has fixed stays. sparse: features are ids, there is no text to cut.
Settings draw_settings(const TrainOptions& fixed, const Plan& planned, const DataFacts& facts,
                       bool sparse, std::uint64_t seed, int number);

/// Puts settings into the options of a training.
void apply_settings(const Settings& settings, TrainOptions& options);

}  // namespace frugal::sparse
