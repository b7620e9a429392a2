#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "libcore/metrics/classification.h"
#include "tools/robe-compress/data/click_data.h"
#include "tools/robe-compress/network/network.h"
#include "tools/robe-compress/serve/evaluate.h"
#include "tools/robe-compress/settings/train_options.h"

namespace frugal {
class Embedding;
}  // namespace frugal

namespace frugal::robe {

class Network;

/// Logits of samples, their labels and the log-loss of each.
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

/// Holds training samples back while it lives, for trials to be graded on: one of every ten,
/// 50,000 at most. What was held out for validation stays unseen, so that its figures tell of new
/// samples.
class HeldBack {
 public:
  explicit HeldBack(ClickData& data);
  ~HeldBack() { data_.hold_back(0); }
  HeldBack(const HeldBack&) = delete;
  HeldBack& operator=(const HeldBack&) = delete;

  /// Whether there are samples of both classes, and not a mere handful.
  bool suffices();
  Grade grade(Predictor& predictor);

 private:
  ClickData& data_;
};

/// How much lower the losses of the second are on the same samples: the mean, and its standard
/// error.
struct PairedGain {
  double mean = 0;
  double error = 0;

  /// Beyond what chance alone gives one time in forty.
  bool is_clear() const { return mean > 2 * error; }
};
PairedGain paired_gain(const std::vector<float>& before, const std::vector<float>& after);

/// What a trial begins with.
struct TrialModel {
  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Network> network;
};

/// An epoch of a trial, graded on samples that the trial does not train on.
struct EpochTrial {
  LearntFigures figures;
  bool chosen = false;
};

/// The most epochs of a run that ends by its validation.
inline constexpr int kMostEpochs = 100;
/// Epochs without a better validation before the end of a run.
struct Patience {
  int epochs = 0;  ///< 0: all there are
  /// While even the best knows no more than the share of clicks, and the last one has not begun to
  /// know the training samples by heart.
  int until_learnt = 0;
};
/// What the options name; where validation ends the run and they name nothing, what is good for so
/// many samples.
Patience patience_of(const TrainOptions& options, std::uint64_t samples);
/// Whether a run may end after `epoch`. last: the validation of it.
bool epochs_suffice(int epoch, int best_epoch, double best_loss, const BinaryMetrics& last,
                    const Patience& patience);

/// A short training, graded after each epoch; the best one is chosen.
struct Trial {
  std::vector<EpochTrial> epochs;
  Answers best;  ///< on the samples held back, after the best epoch

  /// Counted from 1; 0: there is none.
  int best_epoch() const;
};
/// Of a trial with a best epoch.
inline const LearntFigures& best_of(const Trial& trial) {
  return trial.epochs[static_cast<std::size_t>(trial.best_epoch() - 1)].figures;
}
/// Trains a model on all samples but those held back, in epochs of at most `most_samples`: until
/// epochs_suffice() where validation is to end the run, else for as many as the options say, or
/// until stop(). options: resolved.
Trial run_trial(ClickData& data, HeldBack& held_back, const TrainOptions& options,
                TrialModel& model, std::uint64_t most_samples, const std::function<bool()>& stop);

}  // namespace frugal::robe
