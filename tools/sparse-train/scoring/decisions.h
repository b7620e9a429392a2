#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/scoring/score_calibration.h"
#include "tools/sparse-train/scoring/scorer.h"
#include "tools/sparse-train/scoring/share_calibration.h"

namespace frugal::sparse {

/// What held-out examples say of a model's scores: their probabilities, and from which on labels
/// are predicted.
struct Decisions {
  ScoreCalibration calibration;            ///< of each label for itself, or
  std::optional<ShareCalibration> shares;  ///< of labels of which an example has one
  float global = 0.5F;                     ///< threshold for all labels
  std::vector<float> label_thresholds;     ///< by label, drawn towards the global one
  double shrinkage = 0;                    ///< by this share of the way (threshold_choice.h)
  std::uint64_t examples = 0;              ///< held out
  /// No training example has more than one label: the first is predicted unless thresholds are
  /// asked for.
  bool single_label = false;

  /// For labels that came later: the global threshold.
  void extend(std::size_t num_labels) { label_thresholds.resize(num_labels, global); }
  /// Predicts the labels that reach their thresholds or, of single_label, the first alone. Refers
  /// to the thresholds here.
  EvaluationOptions predicting() const;

  /// Makes the scores of an example's ranked labels probabilities.
  void calibrate(std::span<ScoredLabel> ranked) const;

  /// Adds tensor "labels.threshold" [labels] and metadata "model.calibration", "model.threshold",
  /// "model.threshold_shrinkage", "model.held_out" and "model.single_label".
  void save(Document& document) const;
  /// Whether a document has decisions.
  static bool is_in(const Document& document);
  /// What save() stored. Fails (bad_input) naming `path` for whatever makes no sense.
  static Decisions load(const Document& document, const std::string& path, std::size_t num_labels);
};

/// Sets F1: with the default thresholds, each half's fitted to the other; the mean of both.
void take_fitted_f1(const Scorer& scorer, const Dataset& data, const LabelCounts& training,
                    Evaluation& evaluation);

/// From scores that `scorer` gives examples it was not trained on. training: the label counts of
/// what it was trained on. single_label: no example of the whole data has more than one.
Decisions fit_decisions(const Scorer& scorer, const Dataset& held_out, const LabelCounts& training,
                        bool single_label);

}  // namespace frugal::sparse
