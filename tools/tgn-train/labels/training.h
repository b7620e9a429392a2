#pragma once
#include <cstdint>
#include <functional>

#include "libcore/train/training_run.h"
#include "tools/tgn-train/labels/tests.h"
#include "tools/tgn-train/settings/train_options.h"

namespace frugal::tgn {

struct LabelTrainResult : RunFigures {
  std::uint64_t nodes = 0, num_events = 0;
  LabelType type = LabelType::binary;
  std::uint64_t events[3] = {}, labelled[3] = {};  ///< of training, validation and test
  std::uint64_t parameters = 0;                    ///< of the decoder
  LabelReads reads;
  LabelMetrics valid, test;
  LabelBaselines baselines;
  double read_seconds = 0, embed_seconds = 0;
};

struct LabelTrainObserver {
  RunLog* log = nullptr;
  std::function<void(const LabelTrainResult&)> begun;
  std::function<void(double share)> embedding;
  std::function<void(int epoch, double loss, const LabelMetrics&)> validated;
};

/// Trains a decoder that predicts the label of every event from past labels, features, and the
/// embeddings of its source, or of both its ends, before the event. A trained network that does not
/// change computes these; without one there are none. For labels of nodes it follows
/// train_supervised of twitter-research/tgn with --use_validation. That program looks up the
/// features of the first events in validation and test; this one does not. Validates after each
/// epoch, and tests the epoch with the best LabelMetrics::score.
LabelTrainResult train_labels(const LabelTrainOptions& options, const LabelTrainObserver& observer);

}  // namespace frugal::tgn
