#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "tools/robe-compress/evaluate.h"
#include "tools/robe-compress/held_back.h"
#include "tools/robe-compress/network/network.h"
#include "tools/robe-compress/train.h"

namespace frugal {

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
  int epochs = 0;        ///< 0: all there are
  int until_learnt = 0;  ///< while even the best knows no more than the share of clicks
};
/// What the options name; where validation ends the run and they name nothing, what is good for so
/// many samples.
Patience patience_of(const TrainOptions& options, std::uint64_t samples);
/// Whether a run may end after `epoch`. last: the validation of it.
bool epochs_suffice(int epoch, int best_epoch, double best_loss, const BinaryMetrics& last,
                    const Patience& patience);

/// Trains a model epoch by epoch on all samples but those held back, until epochs_suffice() or
/// stop() says so, and marks the epoch with the least loss. Nothing where too few samples can be
/// held back. options: resolved.
std::vector<EpochTrial> search_epochs(ClickData& data, const TrainOptions& options,
                                      TrialModel model, const std::function<bool()>& stop);

}  // namespace frugal
