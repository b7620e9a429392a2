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

/// Calibration of a model's scores and thresholds for predicting labels, fitted to held-out
/// examples.
struct Decisions {
  ScoreCalibration calibration;            ///< calibration of each label's score; or
  std::optional<ShareCalibration> shares;  ///< calibration if each example has one label
  float global = 0.5F;                     ///< threshold for all labels
  std::vector<float> label_thresholds;  ///< threshold of each label, shrunk towards the global one
  double shrinkage = 0;        ///< amount of that shrinkage, from 0 to 1 (threshold_choice.h)
  std::uint64_t examples = 0;  ///< held-out examples
  /// No training example has more than one label: the first label is predicted, unless thresholds
  /// are requested.
  bool single_label = false;

  /// Gives labels added later the global threshold.
  void extend(std::size_t num_labels) { label_thresholds.resize(num_labels, global); }
  /// Options that predict the labels reaching their thresholds or, with single_label, only the
  /// first. They refer to the thresholds here.
  EvaluationOptions predicting() const;

  /// Converts the scores of an example's ranked labels to probabilities.
  void calibrate(std::span<ScoredLabel> ranked) const;

  /// Adds tensor "labels.threshold" [labels] and metadata "model.calibration", "model.threshold",
  /// "model.threshold_shrinkage", "model.held_out" and "model.single_label".
  void save(Document& document) const;
  /// True if the document has decisions.
  static bool is_in(const Document& document);
  /// Reads what save() stored. Fails (bad_input) with `path` for invalid content.
  static Decisions load(const Document& document, const std::string& path, std::size_t num_labels);
};

/// Sets F1 with default thresholds by cross-fitting: the thresholds of each half are fitted to the
/// other, and the result is the mean.
void take_fitted_f1(const Scorer& scorer, const Dataset& data, const LabelCounts& training,
                    Evaluation& evaluation);

/// Fits decisions to a scorer's scores of held-out examples. training: label counts of the scorer's
/// training data. single_label: no example of the whole data has more than one label.
Decisions fit_decisions(const Scorer& scorer, const Dataset& held_out, const LabelCounts& training,
                        bool single_label);

}  // namespace frugal::sparse
