#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/nn/schedule.h"
#include "libcore/threading/spin_barrier.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/dropout.h"
#include "tools/sparse-train/network/feature_step.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/network/output_layer.h"

namespace frugal::sparse {

struct TrainerSetup {
  std::uint32_t batch_size = 64;
  Schedule schedule;
  OptimizerOptions optimizer;
  double dropout = 0;  ///< share of the hidden units that a step leaves out
  std::uint64_t seed = 0;
  Precision precision = Precision::f32;  ///< of the products of dense layers
};

/// Mini-batch training by all threads together, with the same result to the bit for any number of
/// them: each batch is a few phases between barriers: hidden units forward, the stages of the
/// output layer, hidden units backward, in which threads take fixed chunks of examples or labels;
/// in the last, every row of a table has one owner that applies the batch's updates in the order of
/// the examples.
class Trainer {
 public:
  /// The features of each example in `data` must be sorted. All arguments must outlive the trainer.
  Trainer(Network& network, OutputLayer& output, const Dataset& data, const TrainerSetup& setup);

  std::uint64_t batches_per_epoch() const { return batches_per_epoch_; }

  /// Where the schedule ends from now on.
  void set_total_steps(std::uint64_t steps) { setup_.schedule.total_steps = steps; }

  /// Trains steps [step, end) of the run, a step being a batch; all of them lie in one epoch. After
  /// each, stop() (on one thread) may end the call. Returns the first step that was not done. Fails
  /// (bad_input) naming step and tensor when a loss is not finite.
  std::uint64_t run(std::uint64_t step, std::uint64_t end, const std::function<bool()>& stop);

  /// Sum of the losses and number of examples since the last call.
  struct Progress {
    double loss = 0;
    std::uint64_t examples = 0;
    double active = 0;  ///< outputs computed for an example, summed over batches
    std::uint64_t batches = 0;
  };
  Progress take_progress();

 private:
  void shuffle_epoch(std::uint64_t epoch);
  std::span<const std::uint32_t> examples_of(std::uint64_t step) const;
  void begin_step();
  void train(std::uint64_t end, const std::function<bool()>& stop, bool leader);
  /// Runs the leader's part; an exception ends the run at the next barrier.
  void forward_chunk(std::size_t chunk);
  void finish_units(std::size_t layer, std::size_t begin, std::size_t end);
  void backward_chunk(std::size_t chunk);
  std::size_t num_layer_pieces() const;
  void update_layers(std::size_t piece);
  void finish_step(std::uint64_t end, const std::function<bool()>& stop);
  [[noreturn]] void report_not_finite(std::span<const std::uint32_t> examples) const;
  /// Of the batch: [examples, units + 1].
  MatrixView<float> units(std::size_t layer);
  MatrixView<float> gradients(std::size_t layer);
  Bag bag_of(std::uint32_t example) const {
    return {data_.features_of(example), data_.values_of(example)};
  }

  Network& network_;
  OutputLayer& output_;
  const Dataset& data_;
  TrainerSetup setup_;
  std::uint64_t batches_per_epoch_;
  std::size_t chunk_;  ///< examples taken at a time in the forward phase
  Dropout dropout_;
  FeatureStep features_;

  std::vector<std::uint32_t> order_;  ///< the examples in the order of the epoch
  std::vector<Array<float>> units_;   ///< of each layer, [batch, stride]
  std::vector<Array<float>> gradients_;
  std::vector<double> losses_;
  Progress progress_;

  // The state of the step in progress, written by the leader between barriers.
  std::uint64_t step_ = 0;
  Batch batch_;
  bool running_ = false;
  bool not_finite_ = false;
  std::unique_ptr<SpinBarrier> barrier_;
  /// Next piece of each phase, all set to 0 before a step.
  struct Counter {
    alignas(64) std::atomic<std::size_t> value{0};
  };
  enum Phase : std::size_t { kForward, kBackward, kFeatures, kLayers, kFirstStage };
  std::array<Counter, kFirstStage + OutputLayer::kMostStages> next_;
};

}  // namespace frugal::sparse
