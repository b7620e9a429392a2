#pragma once
#include <memory>

#include "tools/robe-compress/steps/batch_trainer.h"

namespace frugal::robe {

/// Steps by setup.joint.accumulate mini-batches, which the ranks share. The model is the same to
/// the bit for 1, 2, 4, ... ranks that have equal parts of them, and for any number of threads.
/// Every rank reads all samples. Fails (unavailable) where a device is named.
std::unique_ptr<BatchTrainer> make_joint_trainer(Embedding& embedding, Network& network,
                                                 const TrainerSetup& setup);

}  // namespace frugal::robe
