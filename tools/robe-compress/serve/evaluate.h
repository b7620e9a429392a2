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
  ClickOptions input;  ///< only the options for reading data
  Precision precision = Precision::f32;
  std::string device = "cpu";  ///< --device
};

/// Metrics of a model on labelled samples, in constant memory. progress: called with the number of
/// samples; may be empty.
BinaryMetrics evaluate(Predictor& predictor, ClickBatches& batches,
                       const std::function<void(std::uint64_t)>& progress = {});
/// Fails (bad_input) with `name` if there were no samples, so that no metric is defined.
void expect_samples(const BinaryMetrics& metrics, const std::string& name,
                    const ClickOptions& input);
/// Message about samples that all have one class. of: place of their labels.
std::string one_class_text(std::uint64_t samples, std::uint64_t positives,
                           const std::string& of = "");
/// As above, for evaluated samples.
std::string one_class_text(const BinaryMetrics& metrics);
/// Metrics of a model on samples, and unknown values in them.
struct EvalResult {
  BinaryMetrics metrics;
  std::vector<UnknownValues> unknown;
};
/// Fails (bad_input) if there are no samples, or all have one class.
EvalResult evaluate_model(const EvalOptions& options,
                          const std::function<void(std::uint64_t)>& progress);

/// A model has learned nothing if its log-loss is at least this factor of that of the share of
/// clicks.
inline constexpr double kNothingLearnt = 0.999;

/// Figures that show whether a model has learned anything.
struct LearntFigures {
  std::optional<double> auc = {};
  double auc_by_chance = 0;  ///< distance from 0.5 that chance exceeds one time in twenty
  double log_loss = 0;
  double of_share = 0;  ///< log-loss of always predicting the share of clicks
  std::uint64_t samples = 0;
};
LearntFigures learnt_figures(const BinaryMetrics& metrics);
/// Warns if a model has learned nothing: if the log-loss is not below that of the share of clicks,
/// or the AUC is as by chance. With few samples, both must hold. Does not warn of too few samples.
/// samples: their name.
void warn_if_nothing_learnt(const LearntFigures& figures, const std::string& samples);

/// Metrics by name, for JSON, logs and tables: auc, log_loss, normalized_entropy, accuracy,
/// calibration.
NamedValues metric_values(const BinaryMetrics& metrics);

}  // namespace frugal::robe
