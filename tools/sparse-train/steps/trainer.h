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
#include "libcore/threading/spin_barrier.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/outputs/output_layer.h"
#include "tools/sparse-train/steps/dropout.h"
#include "tools/sparse-train/steps/epoch_batches.h"
#include "tools/sparse-train/steps/feature_step.h"
#include "tools/sparse-train/steps/network_trainer.h"

namespace frugal::sparse {

/// Mini-batch training by all threads together, with the same result to the bit for any number of
/// them. A batch is a sequence of phases between barriers: hidden units forward, the stages of the
/// output layer, hidden units backward, and updates. In the first three, threads take fixed chunks
/// of examples or labels. In the last one, every row of a table has one owner, which applies the
/// batch's updates in the order of the examples.
class Trainer final : public NetworkTrainer {
 public:
  /// The features of each example must be sorted. All arguments must outlive the trainer.
  Trainer(Network& network, OutputLayer& output, const Dataset& data, const TrainerSetup& setup);

  std::uint64_t batches_per_epoch() const override { return batches_.per_epoch(); }
  void set_total_steps(std::uint64_t steps) override { setup_.schedule.total_steps = steps; }
  /// If a loss is not finite, the failure also names the tensor.
  std::uint64_t run(std::uint64_t step, std::uint64_t end,
                    const std::function<bool()>& stop) override;
  Progress take_progress() override;

 private:
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
  /// Rows of a layer for the present batch: [examples, units + 1].
  MatrixView<float> units(std::size_t layer);
  MatrixView<float> gradients(std::size_t layer);
  Bag bag_of(std::uint32_t example) const {
    return {data_.features_of(example), data_.values_of(example)};
  }

  Network& network_;
  OutputLayer& output_;
  const Dataset& data_;
  TrainerSetup setup_;
  EpochBatches batches_;
  std::size_t chunk_;  ///< examples in a chunk of the forward phase
  Dropout dropout_;
  FeatureStep features_;

  std::vector<Array<float>> units_;  ///< [batch, stride] of each layer
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
