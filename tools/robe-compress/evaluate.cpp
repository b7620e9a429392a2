#include "tools/robe-compress/evaluate.h"

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/robe-compress/click_model.h"
#include "tools/robe-compress/data/click_source.h"

namespace frugal {
namespace {

constexpr std::size_t kBatch = 8192;
constexpr double kChanceAuc = 0.505;
constexpr std::uint64_t kFewestSamples = 1000;
constexpr int kDigits = 5;

}  // namespace

BinaryMetrics evaluate(ClickPredictor& predictor, ClickBatches& batches,
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

std::string one_class_text(const BinaryMetrics& metrics) {
  return "all " + std::to_string(metrics.samples()) + " labels are " +
         (metrics.positives() == 0 ? "0" : "1") +
         ", expected clicks and others (--positive of train says which labels are clicks): AUC is "
         "not defined";
}

BinaryMetrics evaluate_model(const EvalOptions& options,
                             const std::function<void(std::uint64_t)>& progress) {
  const ClickModel model = load_model(options.model, options.precision);
  ClickPredictor predictor(*model.embedding, *model.network);
  ClickSource source(options.data, options.input, model.encoder, Labels::required);
  BinaryMetrics metrics = evaluate(predictor, source, progress);
  expect_samples(metrics, source.name(), options.input);
  if (!metrics.has_both_classes()) {
    fail(ExitStatus::bad_input, source.name(), ": ", one_class_text(metrics), "; log-loss ",
         format_number(metrics.log_loss(), kDigits), ", accuracy ",
         format_number(metrics.accuracy(), kDigits));
  }
  return metrics;
}

LearntFigures learnt_figures(const BinaryMetrics& metrics) {
  return {metrics.auc(), metrics.log_loss(), metrics.log_loss() / metrics.normalized_entropy(),
          metrics.samples()};
}

void warn_if_nothing_learnt(const LearntFigures& f, const std::string& samples) {
  const bool by_loss = f.of_share > 0 && f.log_loss > kNothingLearnt * f.of_share;
  const bool by_auc = f.auc && *f.auc < kChanceAuc;
  if (f.samples < kFewestSamples || (!by_loss && !by_auc)) return;
  const std::string auc = f.auc ? " and AUC " + format_number(*f.auc, kDigits) : "";
  log_warning("log-loss ", format_number(f.log_loss, kDigits), auc, " on ", samples,
              ", where always predicting their share of clicks has log-loss ",
              format_number(f.of_share, kDigits),
              " and AUC 0.5; try other --epochs, --learning-rate or --columns");
}

std::vector<std::pair<std::string, double>> metric_values(const BinaryMetrics& m) {
  return {{"auc", m.auc()},
          {"log_loss", m.log_loss()},
          {"normalized_entropy", m.normalized_entropy()},
          {"accuracy", m.accuracy()},
          {"calibration", m.calibration()}};
}

}  // namespace frugal
