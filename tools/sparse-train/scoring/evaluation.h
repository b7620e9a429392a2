#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/metrics/ranking.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/scoring/label_tally.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

/// How often each label occurs in the training data, for propensity-scored metrics; stored in the
/// model.
struct LabelCounts {
  std::vector<std::uint64_t> counts;  ///< by label
  std::uint64_t examples = 0;

  /// Mean number of labels of an example, at least 1.
  double labels_per_example() const;
};
LabelCounts count_labels(const Dataset& data);

struct EvaluationOptions {
  PropensityConstants propensity;
  /// Labels that score at least this, of those that the scorer ranks, are predicted; nothing: the
  /// first alone.
  std::optional<double> threshold;
  std::span<const float> label_thresholds;  ///< by label, instead of one for all; or empty
};

/// All figures lie in [0, 1]; k = 1, 3, 5 stand in the arrays in this order.
struct Evaluation {
  std::uint64_t examples = 0;
  double seconds = 0;
  double precision[3] = {};
  double ndcg[3] = {};
  double psp[3] = {};
  double psndcg[3] = {};
  double recall_at_5 = 0;
  /// precision and ndcg without learning: the answer for every example is the most frequent labels
  /// of the training data.
  double frequent_precision[3] = {};
  double frequent_ndcg[3] = {};
  bool single_label = false;  ///< no example has more than one label: accuracy means something
  double accuracy = 0;
  double micro_f1 = 0;
  double macro_f1 = 0;
  /// Expected calibration error (Guo et al., ICML 2017, section 3; 15 bins of equal width) of the
  /// scores of the first label or, where examples have several, of the first five.
  double calibration_error = 0;
  /// Where no example has several labels and all labels are ranked (kRankedForLoss): the mean of
  /// -ln of the true label's share of an example's scores, over examples whose label the model
  /// knows; and of two labels the area under the ROC curve of the second.
  std::optional<double> log_loss, roc_auc;
  std::uint64_t unlabelled = 0;        ///< examples without a label
  std::uint64_t unknown_examples = 0;  ///< examples with labels of which the model knows none
  std::vector<ColumnValues> column_values;
  std::vector<std::string> label_names;  ///< beyond the model's, of labels that it does not know
  LabelTally tally;                      ///< of the predicted labels
  /// single_label: how often each pair of true and predicted label came together.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> confusion;
};

/// Labels that every evaluation ranks.
inline constexpr std::size_t kEvaluatedRanks = 5;
/// Labels of an example that decisions are made of: those that rank first.
inline constexpr std::size_t kDecidedRanks = 100;
/// All labels are ranked, for the log-loss, where they are at most so many.
inline constexpr std::size_t kRankedForLoss = 1000;
/// How many labels an evaluation of these data needs.
std::size_t ranks_for(const Dataset& data, const EvaluationOptions& options);

/// Compares the first labels of `scorer`, kEvaluatedRanks or all that there are, with the labels of
/// `data`. A label that the model does not know is a label like others that it never gives: it is
/// missed in all figures. An example without labels has nothing to find, and what is predicted for
/// it is wrong.
Evaluation evaluate(const Scorer& scorer, const Dataset& data, const LabelCounts& training,
                    const EvaluationOptions& options = {});

/// "P@1 0.12": what the most frequent label of the training data reaches as every answer.
std::string frequent_label_text(const Evaluation& evaluation);

}  // namespace frugal::sparse
