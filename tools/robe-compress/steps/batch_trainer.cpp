#include "tools/robe-compress/steps/batch_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/nn/optimizer.h"

namespace frugal::robe {
OptimizerOptions network_optimizer(const TrainerSetup& setup) {
  OptimizerOptions options = setup.optimizer;
  options.weight_decay = setup.weight_decay;
  return options;
}

void prepare_training(Embedding& embedding, Network& network, const TrainerSetup& setup) {
  const std::size_t width = embedding.tables().size() * embedding.tables().dim();
  if (setup.batch_size >
      std::numeric_limits<std::uint32_t>::max() / std::max<std::size_t>(1, width)) {
    fail(ExitStatus::usage, "batches of ", setup.batch_size, " samples with embeddings of ", width,
         " numbers, expected fewer than 2^32 numbers; take a lower --batch-size");
  }
  embedding.prepare_training(setup.optimizer);
  network.prepare_training(network_optimizer(setup));
}

std::pair<float, float> step_rates(const TrainerSetup& setup, std::uint64_t step) {
  const float factor = rate_factor(setup.optimizer, step + 1);
  return {static_cast<float>(setup.embedding_schedule.rate(step)) * factor,
          static_cast<float>(setup.network_schedule.rate(step))};
}

void check_loss(double loss, std::uint64_t step) {
  if (std::isfinite(loss)) return;
  fail(ExitStatus::bad_input, "step ", step,
       ": the loss is not finite; try a lower --learning-rate");
}

}  // namespace frugal::robe
