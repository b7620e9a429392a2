#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "libcore/embedding/embedding.h"
#include "libcore/nn/optimizer_options.h"
#include "libcore/nn/schedule.h"
#include "libcore/parallel/communicator.h"
#include "tools/robe-compress/columns/click_batch.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/network/network.h"
#include "tools/robe-compress/settings/joint_options.h"
#include "tools/robe-compress/steps/batch_pass.h"

namespace frugal::robe {

/// Settings of a BatchTrainer.
struct TrainerSetup {
  std::size_t batch_size = 2048;
  OptimizerOptions optimizer;
  float weight_decay = 0;          ///< of the layers' weights
  EmbeddingDecay embedding_decay;  ///< of the rows of a sample, on the CPU
  double l2 = 0;                   ///< of the weights of a linear model
  Schedule embedding_schedule;     ///< rates of the embeddings
  Schedule network_schedule;
  std::string device = "cpu";                  ///< --device
  Precision precision = Precision::automatic;  ///< of products on a device
  JointOptions joint = {.accumulate = 1};      ///< resolved
  Communicator* ranks = nullptr;               ///< that train together; null: this process alone

  bool is_joint() const { return joint.accumulate > 1 || (ranks != nullptr && ranks->size() > 1); }
};

/// Returns the optimizer options of the layers.
OptimizerOptions network_optimizer(const TrainerSetup& setup);

/// Trains embeddings and network on batches, with logistic loss: on the CPU or on a device.
class BatchTrainer {
 public:
  virtual ~BatchTrainer() = default;

  /// Trains on up to `steps` batches and returns how many there were; fewer only at the end of
  /// `batches` or where stop(), asked after each batch, says so. Fails (bad_input) where the loss
  /// is not finite.
  virtual std::uint64_t run(ClickBatches& batches, std::uint64_t steps,
                            const std::function<bool()>& stop) = 0;
  /// Embeddings and network, with the optimiser's state, are up to date after it.
  virtual void bring_back() {}
  /// On all ranks: this one gets what it lacks of embeddings and their state.
  virtual void bring_together() {}
  /// Answers of the model as it is; good until the next step.
  virtual std::unique_ptr<Predictor> predictor() = 0;

  /// Steps since the beginning; set after a resume.
  std::uint64_t step() const { return step_; }
  virtual void set_step(std::uint64_t step) { step_ = step; }
  struct Progress {
    double loss = 0;       ///< sum
    double positives = 0;  ///< clicks
    std::uint64_t samples = 0;
    double busy_seconds = 0;  ///< of a device, by its own clock
  };
  /// Since the last call; a device may tell of steps later.
  Progress take_progress() { return std::exchange(progress_, {}); }

 protected:
  std::uint64_t step_ = 0;
  Progress progress_;
};

/// Makes room for the optimiser's state. Fails (usage) where batches are too large.
void prepare_training(Embedding& embedding, Network& network, const TrainerSetup& setup);

/// The rates of step `step`, counted from 0: of embeddings, with what Adam's beginning asks for,
/// and of the network, without.
std::pair<float, float> step_rates(const TrainerSetup& setup, std::uint64_t step);

/// Fails (bad_input) where the loss of steps up to `step` is not finite.
void check_loss(double loss, std::uint64_t step);

}  // namespace frugal::robe
