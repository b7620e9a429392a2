#include "tools/robe-compress/commands/train_report.h"

#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"

namespace frugal::robe {
namespace {

constexpr int kReportDigits = 4;

Figure loss_figure(const TrainResult& result, const RunLog& log) {
  std::vector<Series> series = {over_epochs("training", log, "loss")};
  if (result.validation) series.push_back(over_epochs("validation", log, "validation_log_loss"));
  return epoch_figure(
      "Log-loss", "log-loss", std::move(series),
      "Mean of each epoch; on the training samples before each batch's own update.");
}

}  // namespace

void add_train_report(const TrainResult& result, const RunLog& log, Report& report) {
  const TrainFacts& facts = result.facts;
  std::vector<std::pair<std::string, std::string>> key = {
      {"samples of all epochs", std::to_string(result.samples)},
      {"full tables", format_bytes(facts.full_bytes)},
      {"embeddings kept", format_bytes(facts.embedding_bytes)},
      {"training", format_seconds(result.fit_seconds)}};
  if (result.validation) {
    const BinaryMetrics& m = *result.validation;
    key.emplace_back("validation AUC",
                     m.has_both_classes() ? format_number(m.auc(), kReportDigits) : "undefined");
  }
  report.add_key_figures(key);
  report.summary().model =
      facts.method.empty() ? "" : facts.method + ", " + format_bytes(facts.embedding_bytes);
  for (const std::string& line : facts.description) report.add_text(line);
  report.add_figure(loss_figure(result, log));
  if (!result.validation) return;
  report.add_figure(
      epoch_figure("Validation", "AUC", {over_epochs("AUC", log, "validation_auc")},
                   "Area under the ROC curve on the validation samples after each epoch."));
}

void add_eval_report(const BinaryMetrics& metrics, Report& report) {
  report.add_key_figures({{"samples", std::to_string(metrics.samples())},
                          {"AUC", format_number(metrics.auc(), kReportDigits)},
                          {"log-loss", format_number(metrics.log_loss(), kReportDigits)},
                          {"calibration", format_number(metrics.calibration(), kReportDigits)}});
  Figure figure;
  figure.title = "Calibration";
  figure.caption = "Tenths of the samples by rising prediction; on the dashed line they are right.";
  figure.x_label = "predicted share of clicks";
  figure.y_label = "observed";
  Series points, right;
  points.name = "tenths of the samples";
  right.name = "right";
  right.style = SeriesStyle::dashed;
  for (const CalibrationBin& bin : metrics.calibration_table()) {
    points.x.push_back(bin.predicted);
    points.y.push_back(bin.observed);
  }
  if (!points.x.empty()) right.x = right.y = {points.x.front(), points.x.back()};
  figure.series = {std::move(points), std::move(right)};
  report.add_figure(figure);
}

}  // namespace frugal::robe
