#pragma once
#include "tools/sparse-train/quick_training.h"
#include "tools/sparse-train/train.h"

namespace frugal::sparse {

/// How far a model of --init had better be moved by new data. Where it knows the examples already,
/// each step forgets more than it learns. A fifth of at most 20,000 examples is held out: a model
/// that has seen them ranks their labels better before it is moved than after. Scales what the
/// options leave open of the plan's tree cost and learning rate by 1, a fifth, a 25th or a 125th:
/// as long as nDCG@5 rises. Adds the reason. Leaves the plan alone where examples or memory are
/// too few, or a signal came.
void weigh_steps_by_data(const TrainOptions& options, const QuickStart& start, const Dataset& data,
                         Plan& plan);

}  // namespace frugal::sparse
