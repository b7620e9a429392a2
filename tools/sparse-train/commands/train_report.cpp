#include "tools/sparse-train/commands/train_report.h"

#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "tools/sparse-train/fit/plan_text.h"

namespace frugal::sparse {
namespace {

/// A curve over passes, "epoch" or "tree", from two series of the log that share their steps.
Series over_passes(const std::string& name, const RunLog& log, std::string_view pass,
                   std::string_view values) {
  Series series;
  series.name = name;
  const auto passes = log.series(pass);
  const auto points = log.series(values);
  for (std::size_t i = 0; i < std::min(passes.size(), points.size()); ++i) {
    series.x.push_back(passes[i].second);
    series.y.push_back(points[i].second);
  }
  return series;
}

/// Figure of the validation. With one label for each example, P@1 is the accuracy, and P@5 is left
/// out.
Figure validation_figure(bool single_label, const RunLog& log, const std::string& pass) {
  Figure figure;
  figure.title = "Validation";
  figure.x_label = pass;
  figure.y_label = single_label ? "accuracy" : "precision";
  figure.caption = (single_label ? "Accuracy" : "Precision") +
                   std::string(" on the validation data after each ") + pass + ".";
  figure.series = {over_passes(single_label ? "accuracy" : "P@1", log, pass, "validation_p_at_1")};
  if (!single_label) {
    figure.series.push_back(over_passes("P@5", log, pass, "validation_p_at_5"));
  }
  return figure;
}

Table plan_table(const TrainResult& result) {
  Table table;
  table.title = "Chosen";
  table.columns = {"setting", "value"};
  const std::string plan = plan_text(result.plan);
  for (const std::string_view word : split(plan, ' ')) {
    const std::size_t equals = word.find('=');
    table.rows.push_back(
        {std::string(word.substr(0, equals)), std::string(word.substr(equals + 1))});
  }
  return table;
}

}  // namespace

void add_train_report(const TrainResult& result, const RunLog& log, Report& report) {
  std::vector<std::pair<std::string, std::string>> key = {
      {"examples", std::to_string(result.facts.examples)},
      {"labels", std::to_string(result.facts.labels)},
      {"features", std::to_string(result.facts.features)},
      {"training", format_seconds(result.fit_seconds)}};
  if (result.validation) {
    key.emplace_back(result.validation->single_label ? "validation accuracy" : "validation P@1",
                     format_percent(result.validation->precision[0]));
    report.summary().baseline = frequent_label_text(*result.validation);
  }
  report.summary().model = result.plan.architecture;
  if (result.plan.has_network() && result.fit_seconds > 0) {
    const double seen = result.epochs_done * static_cast<double>(result.facts.examples);
    report.summary().speed = format_rate(seen / result.fit_seconds, "examples");
  }
  report.add_key_figures(key);
  for (const std::string& reason : result.plan.reasons) report.add_text(reason + ".");
  const std::string pass = result.plan.has_network() ? "epoch" : "tree";
  if (result.plan.has_network()) {
    Figure loss;
    loss.title = "Loss";
    loss.caption =
        "Mean loss of the training examples of each epoch, before each batch's own update.";
    loss.x_label = pass;
    loss.y_label = "loss";
    loss.series = {over_passes("training", log, pass, "loss")};
    report.add_figure(loss);
  }
  if (result.validation) {
    report.add_figure(validation_figure(result.validation->single_label, log, pass));
  }
  report.add_table(plan_table(result));
}

}  // namespace frugal::sparse
