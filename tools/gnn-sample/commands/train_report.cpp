#include "tools/gnn-sample/commands/train_report.h"

#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"

namespace frugal::gnn {
namespace {

constexpr int kReportDigits = 4;

}  // namespace

void add_task_metrics(const NamedValues& values, const std::string& part,
                      nlohmann::ordered_json& json) {
  add_metrics(values, part, json);
  for (const auto& [name, value] : values) {
    // Several labels a node: their accuracy is the F1 over all of them.
    if (name == "micro_f1") json[metric_name(part, "accuracy")] = value;
  }
}

void add_train_report(const TrainResult& result, const RunLog& log, Report& report) {
  const TrainFacts& facts = result.facts;
  std::vector<std::pair<std::string, std::string>> key = {
      {"nodes", std::to_string(facts.nodes)},
      {"edges", std::to_string(facts.edges)},
      {"an epoch", format_seconds(result.median_epoch_seconds(result.epochs_here()))}};
  if (result.test) {
    report.summary().baseline = result.test->baseline;
    for (const auto& [name, value] : result.test->values) {
      key.emplace_back("test " + name, format_number(value, kReportDigits));
    }
  }
  report.add_key_figures(key);
  report.add_figure(epoch_figure("Loss", "cross-entropy",
                                 {over_epochs("training, with dropout", log, "loss"),
                                  over_epochs("validation", log, "validation_log_loss")}));
  for (const std::string name : {"accuracy", "micro_f1", "mrr"}) {
    if (log.series("validation_" + name).empty()) continue;
    report.add_figure(
        epoch_figure("Validation", name, {over_epochs(name, log, "validation_" + name)}));
  }
}

}  // namespace frugal::gnn
