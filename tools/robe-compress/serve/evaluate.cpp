#include "tools/robe-compress/serve/evaluate.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/data/click_source.h"
#include "tools/robe-compress/model/click_model.h"
#include "tools/robe-compress/steps/device_trainer.h"

namespace frugal::robe {
namespace {

constexpr std::size_t kBatch = 8192;
constexpr double kChanceAuc = 0.505;
/// Factor of the log-loss of the share of clicks that the best of many epochs reaches by chance.
constexpr double kHardlyLearnt = 0.99;
constexpr std::uint64_t kFewestJudged = 50, kManyJudged = 1000;
constexpr int kDigits = 5;

/// Two standard errors of the AUC of random predictions (Mann and Whitney, 1947).
double auc_by_chance(const BinaryMetrics& metrics) {
  const auto samples = static_cast<double>(metrics.samples());
  const auto positives = static_cast<double>(metrics.positives());
  return 2 * std::sqrt((samples + 1) / (12 * positives * (samples - positives)));
}

/// True if the figures are no better than chance. With many samples, one of log-loss and AUC
/// suffices; with few, both must show it.
bool is_as_by_chance(const LearntFigures& f) {
  if (f.samples >= kManyJudged &&
      (f.log_loss > kNothingLearnt * f.of_share || (f.auc && *f.auc < kChanceAuc))) {
    return f.of_share > 0;
  }
  return f.samples >= kFewestJudged && f.log_loss > kHardlyLearnt * f.of_share && f.auc &&
         *f.auc < 0.5 + f.auc_by_chance;
}

}  // namespace

BinaryMetrics evaluate(Predictor& predictor, ClickBatches& batches,
                       const std::function<void(std::uint64_t)>& progress) {
  BinaryMetrics metrics;
  ClickBatch batch;
  while (batches.next(batch, kBatch)) {
    metrics.add(predictor.logits(batch), batch.labels);
    if (progress) progress(metrics.samples());
  }
  return metrics;
}

void expect_samples(const BinaryMetrics& metrics, const std::string& name,
                    const ClickOptions& input) {
  if (metrics.samples() != 0) return;
  fail(ExitStatus::bad_input, name, ": has no samples to evaluate on",
       input.lines.empty() && input.days.empty() ? "" : " where --lines and --days look");
}

std::string one_class_text(std::uint64_t samples, std::uint64_t positives, const std::string& of) {
  return "all " + std::to_string(samples) + " labels" + of + " are " +
         (positives == 0 ? "0" : "1") +
         ", expected clicks and others (--positive of train says which labels are clicks)";
}

std::string one_class_text(const BinaryMetrics& metrics) {
  return one_class_text(metrics.samples(), metrics.positives()) + ": AUC is not defined";
}

EvalResult evaluate_model(const EvalOptions& options,
                          const std::function<void(std::uint64_t)>& progress) {
  const ClickModel model = load_model(options.model, options.precision);
  const auto predictor = open_predictor(*model.embedding, *model.network,
                                        {options.device, "robe-compress eval", options.precision});
  ClickSource source(options.data, options.input, model.encoder, Labels::required);
  EvalResult result{evaluate(*predictor, source, progress), source.unknown_values()};
  const BinaryMetrics& metrics = result.metrics;
  expect_samples(metrics, source.name(), options.input);
  if (!metrics.has_both_classes()) {
    fail(ExitStatus::bad_input, source.name(), ": ", one_class_text(metrics), "; log-loss ",
         format_number(metrics.log_loss(), kDigits), ", accuracy ",
         format_number(metrics.accuracy(), kDigits));
  }
  say_unknown(result.unknown, source.name());
  return result;
}

LearntFigures learnt_figures(const BinaryMetrics& metrics) {
  return {.auc = metrics.auc(),
          .auc_by_chance = auc_by_chance(metrics),
          .log_loss = metrics.log_loss(),
          .of_share = metrics.log_loss() / metrics.normalized_entropy(),
          .samples = metrics.samples()};
}

void warn_if_nothing_learnt(const LearntFigures& f, const std::string& samples) {
  if (!is_as_by_chance(f)) return;
  const std::string auc = f.auc ? " and AUC " + format_number(*f.auc, kDigits) : "";
  const std::string by_chance = f.auc ? " and AUC 0.5 +- " + format_number(f.auc_by_chance, 2) : "";
  log_warning("log-loss ", format_number(f.log_loss, kDigits), auc, " on ", samples,
              ", where always predicting their share of clicks has log-loss ",
              format_number(f.of_share, kDigits), by_chance,
              "; try other --epochs, --learning-rate or --columns");
}

NamedValues metric_values(const BinaryMetrics& m) {
  return {{"auc", m.auc()},
          {"log_loss", m.log_loss()},
          {"normalized_entropy", m.normalized_entropy()},
          {"accuracy", m.accuracy()},
          {"calibration", m.calibration()}};
}

}  // namespace frugal::robe
