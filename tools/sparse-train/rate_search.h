#pragma once
#include <functional>

#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/planner.h"

namespace frugal::sparse {

/// The best of the rates start * 2^i by hill climbing from `start`: score(rate) is asked for a rate
/// and its neighbours until both neighbours of the best are worse, at most kMostRateTrials times.
/// Ties go to the rate that was asked first.
inline constexpr int kMostRateTrials = 8;
double climb_to_rate(double start, const std::function<double(double)>& score);

/// Tries learning rates around the plan's in short trainings of a network on a part of `data`, each
/// with the whole schedule, and returns the one with the best nDCG@5 on examples held out. All
/// trials together cost about as much as two passes over the data, less where it is large.
double find_learning_rate(const Plan& plan, const Dataset& data, std::uint64_t seed,
                          Precision precision);

}  // namespace frugal::sparse
