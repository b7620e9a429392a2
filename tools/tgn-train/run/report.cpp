#include "tools/tgn-train/run/report.h"

#include <cmath>
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

void describe_events(const ResultFields& f, const TrainFacts& facts) {
  f.add("nodes", facts.nodes, "number of nodes of the stream");
  f.add("events", facts.events, "number of events of the stream");
  f.add("parameters", facts.parameters, "number of parameters of the network");
  f.add("batch_size", facts.batch, "number of events in an optimiser step");
  f.add("neighbors", facts.neighbors, "number of neighbours that a layer reads; 0 = none");
  f.add("memory_dim", facts.memory_dim, "number of components of the memory of a node");
  f.add("train_events", facts.train_events, "number of training events");
  f.add("validation_events", facts.valid_events, "number of validation events");
  f.add("test_events", facts.test_events, "number of test events");
  f.add("new_node_validation_events", facts.new_valid_events,
        "number of validation events with a node that is not in the training events");
  f.add("new_node_test_events", facts.new_test_events,
        "number of test events with a node that is not in the training events");
}

void describe_result(const ResultFields& f, const TrainResult& r) {
  describe_events(f, r.facts);
  describe_run_figures(f, r);
  const auto trained = static_cast<double>(r.samples);
  f.add("events_per_second", rate(trained, r.fit_seconds),
        "training events per second of fit_seconds");
  f.add("events_per_cpu_second", rate(trained, r.fit_cpu_seconds),
        "training events per second of CPU time, summed over all threads of the first rank");
  f.add("epoch_seconds",
        r.median_epoch_seconds(trained / static_cast<double>(r.facts.train_events)),
        "median time of an epoch, without validation");
  describe_mix(f, r.mix);
  // Only runs of a sweep rank events; the page of train names no ranks.
  const bool has_ranks = r.tests.test && !std::isnan(r.tests.test->mrr());
  describe_tests(f, r.tests, has_ranks ? Ranks::may_be : Ranks::none);
  f.when("--select mrr", r.selected_mrr, [](const ResultFields& selected, double mrr) {
    selected.add("validation_mrr", mrr, "of the best epoch, by the network alone");
  });
  describe_baselines(f, r.baselines);
  f.when("--memory-shards", r.facts.memory_shards != 0, [&](const ResultFields& shards) {
    shards.add("memory_bytes", r.facts.memory_bytes, "size of the first rank's part of the memory");
    shards.add("step_sent_bytes", r.step_sent_bytes,
               "mean number of bytes that the first rank sent in a step");
  });
  f.add("read_seconds", r.read_seconds, "time of reading the events");
  describe_fit_seconds(f, r);
  f.add("plan_seconds", r.plan_seconds, "time in which training steps waited for their plans");
  f.add("eval_seconds", r.eval_seconds, "time of validation and test");
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
  constexpr const char* kScores[] = {"AUC", "accuracy", "r2"};
  constexpr const char* kSeconds[] = {"AP", "macro F1", "rmse"};
  constexpr const char* kAxes[] = {"area under the ROC curve", "accuracy",
                                   "share of variance explained"};
  const auto type = static_cast<std::size_t>(r.type);
  report.add_key_figures(
      {{"events", std::to_string(r.num_events)},
       {"with " + labelled_text(r.type),
        std::to_string(r.labelled[0] + r.labelled[1] + r.labelled[2])},
       {std::string("test ") + kScores[type], format_number(r.test.values[0].second, kShown)},
       {std::string("test ") + kSeconds[type], format_number(r.test.values[1].second, kShown)}});
  report.add_figure(epoch_figure("Loss",
                                 r.type == LabelType::numbers ? "squared error" : "cross-entropy",
                                 {over_epochs("training", log, "loss")}));
  report.add_figure(epoch_figure(
      "Validation", kAxes[type],
      {over_epochs(kScores[type], log, metric_name("validation", r.test.values[0].first))},
      "The best epoch is tested."));
}

}  // namespace frugal::tgn
