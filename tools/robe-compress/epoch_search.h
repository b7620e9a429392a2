#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/held_back.h"
#include "tools/robe-compress/network/network.h"
#include "tools/robe-compress/train.h"

namespace frugal::robe {

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
  std::vector<float> losses;  ///< of the samples held back, after the best epoch

  /// Counted from 1; 0: there is none.
  int best_epoch() const;
};
/// Trains a model on all samples but those held back, in epochs of at most `most_samples`: until
/// epochs_suffice() where validation is to end the run, else for as many as the options say, or
/// until stop(). options: resolved.
Trial run_trial(ClickData& data, HeldBack& held_back, const TrainOptions& options,
                TrialModel& model, std::uint64_t most_samples, const std::function<bool()>& stop);

}  // namespace frugal::robe
