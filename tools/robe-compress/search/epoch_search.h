#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/metrics/classification.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/network/network.h"
#include "tools/robe-compress/serve/evaluate.h"
#include "tools/robe-compress/settings/train_options.h"

namespace frugal {
class Embedding;
}  // namespace frugal

namespace frugal::robe {

class Network;

/// Logits, labels and log-losses of samples.
struct Answers {
  std::vector<float> logits, labels, losses;
};

/// Answers with the metrics over all of them.
struct Grade {
  Answers answers;
  BinaryMetrics metrics;

  void add(std::span<const float> of_logits, std::span<const float> of_labels);
};
/// Grades the mean of two models' logits of the same samples.
Grade mean_grade(const Answers& a, const Answers& b);

/// Holds back training samples during its lifetime, on which trials are graded: one of every ten,
/// at most 50,000. Validation samples are not used, so that validation figures are of new samples.
class HeldBack {
 public:
  explicit HeldBack(ClickData& data);
  ~HeldBack() { data_.hold_back(0); }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;

  /// True if there are enough samples, with both classes.
  bool suffices();
  Grade grade(Predictor& predictor);

 private:
  ClickData& data_;
};

/// Paired improvement of the second model's losses on the same samples: the mean, and its standard
/// error.
struct PairedGain {
  double mean = 0;
  double error = 0;

  /// True if chance gives such a gain in less than one case in forty.
  bool is_clear() const { return mean > 2 * error; }
};
PairedGain paired_gain(const std::vector<float>& before, const std::vector<float>& after);

/// Initial model of a trial.
struct TrialModel {
  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Network> network;
};

/// Figures of an epoch of a trial, on the held-back samples.
struct EpochTrial {
  LearntFigures figures;
  bool chosen = false;
};

/// Most epochs of a run with early stopping.
inline constexpr int kMostEpochs = 100;
/// Early stopping: epochs without a better validation after which a run ends.
struct Patience {
  int epochs = 0;  ///< 0: no early stopping
  /// Applies instead while the best epoch is no better than predicting the share of clicks, and the
  /// last one does not overfit yet.
  int until_learnt = 0;
};
/// Patience from the options. If they leave it open and the run has early stopping, it depends on
/// the number of samples.
Patience patience_of(const TrainOptions& options, std::uint64_t samples);
/// True if a run may end after `epoch`. last: its validation.
bool epochs_suffice(int epoch, int best_epoch, double best_loss, const BinaryMetrics& last,
                    const Patience& patience);

/// A trial's model and state after its first epoch. If that epoch is the best, a run continues
/// with the samples held back, so that it has trained on each sample once, like a whole epoch.
struct KeptEpoch {
  Document state;
  std::uint64_t steps = 0, samples = 0;
  double seconds = 0, cpu_seconds = 0;  ///< for these steps
};

/// A short training, graded after each epoch; the best one is chosen.
struct Trial {
  std::vector<EpochTrial> epochs;
  Answers best;                   ///< answers on the held-back samples after the best epoch
  std::optional<KeptEpoch> kept;  ///< if requested, and the first epoch is the best

  /// Number of the best epoch, from 1; 0: there is none.
  int best_epoch() const;
};
/// Figures of the best epoch of a trial that has one.
inline const LearntFigures& best_of(const Trial& trial) {
  return trial.epochs[static_cast<std::size_t>(trial.best_epoch() - 1)].figures;
}
/// Limits of a trial.
struct TrialLimits {
  std::uint64_t most_samples = 0;  ///< of an epoch
  bool keep = false;               ///< fill Trial::kept, a copy of the model and its state
  std::function<bool()> stop;      ///< true: the trial ends now
};
/// Trains a model on all samples except those held back. Ends when epochs_suffice() if the run has
/// early stopping, otherwise after the options' number of epochs. options: resolved.
Trial run_trial(ClickData& data, HeldBack& held_back, const TrainOptions& options,
                TrialModel& model, const TrialLimits& limits);

}  // namespace frugal::robe
