#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/device/registry.h"
#include "tools/tgn-train/commands/tool.h"
#include "tools/tgn-train/labels/training.h"
#include "tools/tgn-train/links/link_report.h"
#include "tools/tgn-train/run/report.h"

namespace frugal::tgn {
namespace {

constexpr const char* kPartOptions[] = {"train", "validation", "test"};

LabelTrainOptions label_options(const TrainCommandOptions& o, const Run& run) {
  if (run.ranks().size() > 1) {
    fail(ExitStatus::unavailable, "--task ", o.train.task, " trains in one process, ",
         run.ranks().size(), " were started: start one copy");
  }
  if (o.train.from.empty() && network_precision(run) != Precision::f32) {
    fail(ExitStatus::usage, "--precision is of a network, expected --from MODEL beside it");
  }
  LabelTrainOptions options;
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  options.events = o.train.events;
  options.from = o.train.from;
  options.model = o.train.model;
  options.of_event = o.train.task == "event-label";
  options.event_features = o.train.event_features;
  options.label_history = o.train.label_history;
  options.dropout = o.train.network.dropout;
  options.patience = o.train.patience;
  options.precision = network_precision(run);
  options.place = memory_place(o.train.place, options.model);
  if (o.train.batch != 0) options.batch = o.train.batch;
  if (options.of_event || options.from.empty()) options.learning_rate = 1e-3, options.epochs = 30;
  if (o.train.learning_rate != 0) options.learning_rate = o.train.learning_rate;
  if (o.train.epochs != 0) options.epochs = o.train.epochs;
  return options;
}

}  // namespace

void describe_label_metrics(const ResultFields& f, const LabelMetrics& valid,
                            const LabelMetrics& test, const LabelBaselines& baselines) {
  const std::vector<std::string> names = label_metric_names();
  f.add_metrics("validation", valid.values, names);
  f.add_metrics("test", test.values, names);
  f.add_metrics("test_constant", baselines.constant.values, names);
  f.add_metrics("test_source", baselines.source.values, names);
  f.add_metrics("test_destination", baselines.destination.values, names);
  f.add_metrics("test_both", baselines.both.values, names);
}

void say_label_baseline(const LabelMetrics& test, const LabelBaselines& baselines, Run& run) {
  const auto [name, best] = baselines.best();
  run.say("best prediction without learning: " + name + metrics_text("test", best->values));
  if (test.score > best->score) return;
  log_warning("the model is no better on the test than the ",
              best == &baselines.constant ? "constant prediction, the mean or the commonest label "
                                            "of the training events"
                                          : "past labels of the " + name);
}

void describe_label_reads(const ResultFields& f, const LabelReads& r) {
  f.add("label_history", r.history, "whether labels are predicted from past labels");
  f.add("label_ages", r.ages, "whether labels are predicted from ages of past labels, too");
  f.add("label_embeddings", r.embeddings, "numbers of embeddings that labels are predicted from");
  f.add("label_node_features", r.node_features,
        "features of nodes that labels are predicted from without a network");
  f.add("label_event_features", r.event_features,
        "features of an event that its label is predicted from, with a column for each edge type");
}

void describe_label_result(const ResultFields& f, const LabelTrainResult& r) {
  f.add("nodes", r.nodes, "number of nodes of the stream");
  f.add("events", r.num_events, "number of events of the stream");
  f.add("parameters", r.parameters, "number of parameters of the trained layers");
  for (int p = 0; p < 3; ++p) {
    const std::string part = kPartOptions[p];
    f.add(part + "_events", r.events[p], "number of events in the part " + part);
  }
  for (int p = 0; p < 3; ++p) {
    const std::string part = kPartOptions[p];
    f.add(part + "_labelled", r.labelled[p],
          "number of events with label 1 or, of classes and numbers, with a label in the part " +
              part);
  }
  describe_label_reads(f, r.reads);
  describe_run_figures(f, r);
  describe_label_metrics(f, r.valid, r.test, r.baselines);
  f.add("read_seconds", r.read_seconds, "time of reading events and model");
  f.add("embed_seconds", r.embed_seconds, "time of computing all that labels are predicted from");
  describe_fit_seconds(f, r);
}

ExitStatus run_label_train(const TrainCommandOptions& o, Run& run) {
  check_device(run.options().device, "tgn-train train --task " + o.train.task, "");
  const LabelTrainOptions options = label_options(o, run);
  std::vector<std::string> inputs = {options.events};
  if (!options.from.empty()) inputs.push_back(options.from);
  TrainerRun training(run, options, inputs, options.model);
  LabelTrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&](const LabelTrainResult& r) {
    for (int p = 0; p < 3; ++p) {
      run.say(std::string(kPartOptions[p]) + ": " + std::to_string(r.labelled[p]) + " of " +
              format_count(r.events[p], "event") + " have " + labelled_text(r.type));
    }
    run.say("labels are predicted from " + r.reads.text());
    training.progress().begin({"embedding", 1, "of the events"});
  };
  observer.embedding = [&](double share) { training.progress().update(share); };
  observer.validated = [&](int epoch, double loss, const LabelMetrics& metrics) {
    run.say("epoch " + std::to_string(epoch) + ": loss " + format_number(loss, kMetricDigits) +
            metrics_text("validation", metrics.values));
  };
  const LabelTrainResult result = train_labels(options, observer);
  describe_label_result(ResultFields(run.result()), result);
  training.finish(result.stopped, "at step " + std::to_string(result.steps));
  if (!run.options().report.empty()) add_label_report(result, run.log(), run.report());
  run.say("the best of " + format_count(static_cast<std::size_t>(result.epochs), "epoch") + " is " +
          std::to_string(result.best_epoch) + metrics_text("test", result.test.values));
  say_label_baseline(result.test, result.baselines, run);
  return ExitStatus::ok;
}

}  // namespace frugal::tgn
