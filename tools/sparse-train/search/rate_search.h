#pragma once
#include <functional>

#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/fit/plan.h"
#include "tools/sparse-train/fit/quick_training.h"
#include "tools/sparse-train/settings/train_options.h"

namespace frugal::sparse {

/// How far a model of --init had better be moved by new data. Where it knows the examples already,
/// each step forgets more than it learns. A fifth of at most 20,000 examples is held out: a model
/// that has seen them ranks their labels better before it is moved than after. Scales what the
/// options leave open of the plan's tree cost and learning rate by 1, a fifth, a 25th or a 125th:
/// as long as nDCG@5 rises. Adds the reason. Leaves the plan alone where examples or memory are
/// too few, or a signal came.
void weigh_steps_by_data(const TrainOptions& options, const QuickStart& start, const Dataset& data,
                         Plan& plan);

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
