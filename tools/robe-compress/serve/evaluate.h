#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/kernels/gemm.h"
#include "libcore/metrics/classification.h"
#include "libcore/metrics/named_values.h"
#include "tools/robe-compress/columns/click_options.h"
#include "tools/robe-compress/data/unknown_values.h"

namespace frugal::robe {

class ClickBatches;
class Predictor;

struct EvalOptions {
  std::string model;
  std::string data = "-";
  ClickOptions input;  ///< of it: what reads other data than the model's
  Precision precision = Precision::f32;
  std::string device = "cpu";  ///< --device
};

/// Metrics of a model on labelled samples, in constant memory. progress(samples) may be empty.
BinaryMetrics evaluate(Predictor& predictor, ClickBatches& batches,
                       const std::function<void(std::uint64_t)>& progress = {});
/// Fails (bad_input) with `name` where the metrics are of no sample: none of them is defined.
void expect_samples(const BinaryMetrics& metrics, const std::string& name,
                    const ClickOptions& input);
/// What to say of samples that are all of one class. of: where their labels stand.
std::string one_class_text(std::uint64_t samples, std::uint64_t positives,
                           const std::string& of = "");
/// The same of samples that were evaluated.
std::string one_class_text(const BinaryMetrics& metrics);
/// Quality of a model on samples, and the values in them that it does not know.
struct EvalResult {
  BinaryMetrics metrics;
  std::vector<UnknownValues> unknown;
};
/// Fails (bad_input) where there are no samples, or all are of one class.
EvalResult evaluate_model(const EvalOptions& options,
                          const std::function<void(std::uint64_t)>& progress);

/// A log-loss of at least this part of that of the share of clicks says nothing.
inline constexpr double kNothingLearnt = 0.999;

/// What says whether a model knows anything.
struct LearntFigures {
  std::optional<double> auc = {};
  double auc_by_chance = 0;  ///< how far from 0.5 chance alone takes it one time in twenty
  double log_loss = 0;
  double of_share = 0;  ///< log-loss of always predicting the share of clicks
  std::uint64_t samples = 0;
};
LearntFigures learnt_figures(const BinaryMetrics& metrics);
/// Warns where the log-loss on `samples` is that of the share of clicks or above it, or the AUC
/// that of chance, and there are enough samples to say so. Of few samples both say so: an AUC that
/// chance alone may give, and a log-loss that is hardly better.
void warn_if_nothing_learnt(const LearntFigures& figures, const std::string& samples);

/// Named values for JSON, logs and tables: auc, log_loss, normalized_entropy, accuracy,
/// calibration.
NamedValues metric_values(const BinaryMetrics& metrics);

}  // namespace frugal::robe
