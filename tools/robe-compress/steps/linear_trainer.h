#pragma once
#include <memory>

#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// Trains architecture linear: minimises the sum of the samples' logistic losses and setup.l2 / 2
/// times the squares of all weights but the bias. A step is a sweep of coordinate descent over all
/// samples of a batch, which has to be an epoch: a Newton step of the bias, of each number's weight
/// and of each field, whose weights no two samples' terms share (Friedman, Hastie, Tibshirani,
/// "Regularization Paths for Generalized Linear Models via Coordinate Descent", JSS 2010). There is
/// no state besides the weights. The same bits for any number of threads. Fails (usage) with
/// several ranks or mini-batches a step, (unavailable) where a device is named.
std::unique_ptr<BatchTrainer> make_linear_trainer(Embedding& embedding, Network& network,
                                                  const TrainerSetup& setup);

}  // namespace frugal::robe
