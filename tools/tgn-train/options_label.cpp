#include "tools/tgn-train/options_label.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "libcore/base/text.h"
#include "libcore/cli/trainer_run.h"
#include "libcore/system/clock.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/label_train.h"
#include "tools/tgn-train/link_report.h"
#include "tools/tgn-train/train_report.h"

namespace frugal::tgn {
namespace {

constexpr const char* kPartOptions[] = {"train", "validation", "test"};

/// Fails (usage) where an option is given that would change nothing: what the model has decided.
void check_label_options(const TrainCommandOptions& o) {
  const TrainCommandOptions plain;
  const TgnOptions &n = o.train.network, &p = plain.train.network;
  const std::pair<const char*, bool> links[] = {
      {"--preset", o.preset != plain.preset},
      {"--arch", o.arch != plain.arch},
      {"--message", o.message != plain.message},
      {"--aggregator", o.aggregator != plain.aggregator},
      {"--updater", o.updater != plain.updater},
      {"--embedding", o.embedding != plain.embedding},
      {"--layers", o.layers != plain.layers},
      {"--memory-dim", o.memory_dim != plain.memory_dim},
      {"--time-dim", o.time_dim != plain.time_dim},
      {"--message-dim", n.message_dim != p.message_dim},
      {"--neighbors", n.neighbors != p.neighbors},
      {"--heads", n.heads != p.heads},
      {"--time-encoder", o.time_encoder != plain.time_encoder},
      {"--memory", o.memory != plain.memory},
      {"--refresh", o.refresh != plain.refresh},
      {"--memory-dtype", o.memory_dtype != plain.memory_dtype},
      {"--neighbor-sampling", o.sampling != plain.sampling},
      {"--pair-features", o.train.pair_features},
      {"--weights-only", o.train.weights_only},
      {"--window", o.train.window != plain.train.window},
      {"--skip-events", o.train.skip != plain.train.skip},
      {"--no-eval", !o.train.evaluates},
      {"--steps", o.train.steps != plain.train.steps},
      {"--eval-batch-size", o.train.eval_batch != plain.train.eval_batch},
      {"--new-nodes", o.train.split.new_nodes != plain.train.split.new_nodes},
      {"--split-seed", o.train.split.seed != plain.train.split.seed}};
  for (const auto& [option, given] : links) {
    if (given) fail(ExitStatus::usage, option, " goes with --task link");
  }
  if (o.from.empty()) {
    fail(ExitStatus::usage, "--task node-label needs --from MODEL, a model of links");
  }
}

LabelTrainOptions label_options(const TrainCommandOptions& o, const Run& run) {
  check_label_options(o);
  LabelTrainOptions options;
  static_cast<TrainerSettings&>(options) = trainer_settings(o.trainer, run);
  options.events = o.train.events;
  options.from = o.from;
  options.model = o.train.model;
  options.dropout = o.train.network.dropout;
  options.patience = o.train.patience;
  options.precision = network_precision(run);
  options.place = o.place.place(options.model);
  if (o.batch != 0) options.batch = o.batch;
  if (o.learning_rate != 0) options.learning_rate = o.learning_rate;
  if (o.epochs != 0) options.epochs = o.epochs;
  return options;
}

void add_label_result(const LabelTrainResult& r, nlohmann::ordered_json& json) {
  json["nodes"] = r.nodes;
  json["events"] = r.num_events;
  json["parameters"] = r.parameters;
  for (int p = 0; p < 3; ++p) json[std::string(kPartOptions[p]) + "_events"] = r.events[p];
  for (int p = 0; p < 3; ++p) json[std::string(kPartOptions[p]) + "_labelled"] = r.labelled[p];
  json["epochs"] = r.epochs;
  json["best_epoch"] = r.best_epoch;
  json["steps"] = r.steps;
  json["resumed_from_step"] = r.resumed_from;
  json["loss"] = r.loss;
  for (const auto& [name, value] : r.valid.values()) json["validation_" + name] = value;
  for (const auto& [name, value] : r.test.values()) json["test_" + name] = value;
  json["read_seconds"] = r.read_seconds;
  json["embed_seconds"] = r.embed_seconds;
  json["fit_seconds"] = r.fit_seconds;
}

}  // namespace

ExitStatus run_label_train(const TrainCommandOptions& o, Run& run) {
  const double began = wall_seconds();
  const LabelTrainOptions options = label_options(o, run);
  handle_signals();
  run.reads(options.events);
  run.reads(options.from);
  run.writes(options.model);
  std::unique_ptr<Progress> progress;
  LabelTrainObserver observer;
  observer.log = &run.log();
  observer.begun = [&](const LabelTrainResult& r) {
    for (int p = 0; p < 3; ++p) {
      run.say(std::string(kPartOptions[p]) + ": " + std::to_string(r.labelled[p]) + " of " +
              format_count(r.events[p], "event") + " have label 1");
    }
    progress = run.progress("embedding", 1, "of the events");
  };
  observer.embedding = [&](double share) { progress->update(share); };
  observer.validated = [&](int epoch, double loss, const LabelMetrics& metrics) {
    run.say("epoch " + std::to_string(epoch) + ": loss " + format_number(loss, kMetricDigits) +
            metrics_text("validation", metrics.values()));
  };
  const LabelTrainResult result = train_labels(options, observer);
  progress->finish();
  if (result.stopped) {
    fail_stopped("stopped at step " + std::to_string(result.steps), options.checkpoint);
  }
  add_label_result(result, run.result());
  run.result()["train_seconds"] = wall_seconds() - began;
  if (!run.options().report.empty()) add_label_report(result, run.log(), run.report());
  run.say("the best of " + std::to_string(result.epochs) + " epochs is " +
          std::to_string(result.best_epoch) + metrics_text("test", result.test.values()));
  return ExitStatus::ok;
}

}  // namespace frugal::tgn
