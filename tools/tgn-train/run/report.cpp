#include "tools/tgn-train/run/report.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "tools/tgn-train/links/link_report.h"

namespace frugal::tgn {
namespace {

constexpr int kShown = 4;

double rate(double count, double seconds) { return seconds > 0 ? count / seconds : 0; }

}  // namespace

void add_result(const TrainResult& r, nlohmann::ordered_json& json) {
  json["nodes"] = r.facts.nodes;
  json["events"] = r.facts.events;
  json["parameters"] = r.facts.parameters;
  json["train_events"] = r.facts.train_events;
  json["validation_events"] = r.facts.valid_events;
  json["test_events"] = r.facts.test_events;
  json["new_node_validation_events"] = r.facts.new_valid_events;
  json["new_node_test_events"] = r.facts.new_test_events;
  add_run_figures(r, json);
  const auto trained = static_cast<double>(r.samples);
  json["events_per_second"] = rate(trained, r.fit_seconds);
  json["events_per_cpu_second"] = rate(trained, r.fit_cpu_seconds);
  json["epoch_seconds"] =
      r.median_epoch_seconds(trained / static_cast<double>(r.facts.train_events));
  add_tests(r.tests, json);
  add_baselines(r.baselines, json);
  if (r.facts.memory_shards != 0) {
    json["memory_bytes"] = r.facts.memory_bytes;
    json["step_sent_bytes"] = r.step_sent_bytes;
  }
  json["read_seconds"] = r.read_seconds;
  add_fit_seconds(r, json);
  json["plan_seconds"] = r.plan_seconds;
  json["eval_seconds"] = r.eval_seconds;
}

void add_train_report(const TrainResult& r, const RunLog& log, Report& report) {
  const auto trained = static_cast<double>(r.samples);
  std::vector<std::pair<std::string, std::string>> key = {
      {"events", std::to_string(r.facts.events)},
      {"parameters", std::to_string(r.facts.parameters)},
      {"training", format_rate(rate(trained, r.fit_seconds), "events")}};
  const auto add = [&](const char* name, const std::optional<LinkMetrics>& metrics) {
    if (metrics) key.emplace_back(name, format_number(metrics->ap_batch(), kShown));
  };
  add("test AP of 200", r.tests.test);
  add("of new nodes", r.tests.inductive_test);
  report.add_key_figures(key);
  report.add_figure(epoch_figure("Loss", "cross-entropy", {over_epochs("training", log, "loss")},
                                 "Of an event and one that did not happen; the mean of an epoch."));
  report.add_figure(epoch_figure(
      "Validation", "average precision",
      {over_epochs("mean over batches of 200", log, "validation_average_precision_batch200"),
       over_epochs("all events at once", log, "validation_average_precision")},
      "The model of the best epoch, by the mean over batches, is tested."));
}

void add_label_report(const LabelTrainResult& r, const RunLog& log, Report& report) {
  report.add_key_figures(
      {{"events", std::to_string(r.num_events)},
       {"with label 1", std::to_string(r.labelled[0] + r.labelled[1] + r.labelled[2])},
       {"test AUC", format_number(r.test.auc, kShown)},
       {"test AP", format_number(r.test.ap, kShown)}});
  report.add_figure(epoch_figure("Loss", "cross-entropy", {over_epochs("training", log, "loss")}));
  report.add_figure(epoch_figure("Validation", "area under the ROC curve",
                                 {over_epochs("AUC", log, "validation_auc")},
                                 "The best epoch is tested."));
}

}  // namespace frugal::tgn
