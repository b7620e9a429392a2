#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "libcore/kernels/gemm.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/schedule.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

struct TrainerSetup {
  std::uint32_t batch_size = 64;
  Schedule schedule;
  OptimizerOptions optimizer;
  double dropout = 0;  ///< share of the hidden units that a step leaves out
  std::uint64_t seed = 0;
  Precision precision = Precision::f32;  ///< of the products of dense layers
};

/// Mini-batch training of a network: on the CPU (trainer.h) or on a device (device_trainer.h).
class NetworkTrainer {
 public:
  virtual ~NetworkTrainer() = default;

  virtual std::uint64_t batches_per_epoch() const = 0;
  /// Where the schedule ends from now on.
  virtual void set_total_steps(std::uint64_t steps) = 0;
  /// Trains steps [step, end) of the run, a step being a batch; all of them lie in one epoch. After
  /// each, stop() (on one thread) may end the call. Returns the first step that was not done. Fails
  /// (bad_input) naming the step when a loss is not finite.
  virtual std::uint64_t run(std::uint64_t step, std::uint64_t end,
                            const std::function<bool()>& stop) = 0;

  /// Sum of the losses and number of examples since the last call.
  struct Progress {
    double loss = 0;
    std::uint64_t examples = 0;
    double active = 0;  ///< outputs computed for an example, summed over batches
    std::uint64_t batches = 0;
    double busy_seconds = 0;  ///< of a device, by its own clock
  };
  virtual Progress take_progress() = 0;

  /// Network and optimiser's state are what was trained.
  virtual void bring_back() {}
  /// They were changed by somebody else.
  virtual void take_anew() {}
  /// Ranks labels where the network is; null: on the CPU, as for any network.
  virtual std::unique_ptr<Scorer> scorer(std::size_t) { return nullptr; }
};

}  // namespace frugal::sparse
