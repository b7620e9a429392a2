#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/metrics/run_log.h"
#include "libcore/report/report.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/sparse-train/commands/tool.h"
#include "tools/sparse-train/run/training.h"
#include "tools/sparse-train/settings/feature_fields.h"
#include "tools/sparse-train/settings/train_fields.h"
#include "tools/sparse-train/tune/tune_report.h"
#include "tools/sparse-train/tune/tune_space.h"

namespace frugal::sparse {
namespace {

constexpr const char* kRungNames[] = {"1/9", "1/3", "all"};

void tell(const Trial& trial, const TuneOptions& options, std::int64_t number, Run& run) {
  run.say("configuration " + std::to_string(trial.configuration) + " on " + kRungNames[trial.rung] +
          ": " + options.metric + " " + format_number(trial.score, 4) + " in " +
          format_number(trial.cpu_seconds, 2) + " CPU s (" + tuned_text(trial.settings) + ")");
  run.log().step(number, {{"configuration", trial.configuration},
                          {"rung", trial.rung},
                          {options.metric, trial.score},
                          {"cpu_seconds", trial.cpu_seconds}});
}

void describe_result(const ResultFields& f, const TuneOptions& options, std::size_t trials,
                     const Trial& best) {
  f.add("trials", trials, "trainings that were compared");
  f.add("metric", options.metric, "metric that chose");
  f.add("score", best.score, "metric of the best configuration on held-out examples");
  f.add("rung", kRungNames[best.rung], "part of the examples it was trained on: 1/9, 1/3 or all");
  auto settings = nlohmann::ordered_json::object();
  for (const auto& [name, value] : best.settings) settings[name] = value;
  f.add("settings", settings, "options of the best configuration, by name");
}

void add_tune_result(const TuneResult& result, const TuneOptions& options, Run& run) {
  const Trial& best = result.trials[result.best];
  describe_result(ResultFields(run.result()), options, result.trials.size(), best);
  if (!run.options().report.empty()) add_tune_report(result, options.metric, run.report());
  run.say("best: " + tuned_text(best.settings));
}

/// Trains on all data with the best settings.
void train_best(const TuneCommandOptions& o, const TuneResult& result, const std::string& config,
                Run& run) {
  TrainOptions best = o.tune.train;
  apply_settings(result.trials[result.best].settings, best);
  best.search = false;  // the trials had none
  best.config = config;
  best.history_entry = run.history_entry();
  run.writes(best.model);
  if (train(best, {}).stopped) fail(ExitStatus::stopped, "stopped before the model was trained");
}

ExitStatus run_tune(TuneCommandOptions& o, Run& run) {
  handle_signals();
  o.tune.train.seed = run.options().seed;
  run.reads(o.tune.train.data);
  run.reads(o.tune.train.validation);
  run.writes(o.tune.output);
  check_output(o.tune.output);
  std::int64_t number = 0;
  const WarningsOnce warnings;
  const TuneResult result =
      tune(o.tune, [&](const Trial& trial) { tell(trial, o.tune, ++number, run); });
  if (result.trials.empty()) fail(ExitStatus::stopped, "stopped before the first trial was over");
  Settings chosen = result.trials[result.best].settings;
  chosen.emplace_back("search", "false");  // the trials had none
  const std::string config = tuned_config(run.config(), chosen);
  write_file(o.tune.output, config);
  add_tune_result(result, o.tune, run);
  if (result.stopped) {
    fail(ExitStatus::stopped, "stopped after ", result.trials.size(),
         " trials; the best so far is in ", o.tune.output);
  }
  if (!o.tune.train.model.empty()) train_best(o, result, config, run);
  return ExitStatus::ok;
}

void add_tune_options(const OptionFields& f, TuneCommandOptions& o) {
  TrainOptions& t = o.tune.train;
  f.add("data", t.data, "file of labelled examples").required().metavar("DATA");
  f.add("-o,--output", o.tune.output, "file to write the best configuration to")
      .required()
      .metavar("FILE");
  f.add_duration("--budget", o.tune.budget_seconds,
                 "CPU time for the search (user and system, of all threads); more time tries more "
                 "configurations");
  f.add("--metric", o.tune.metric,
        "metric to maximise. For F1, if examples have several labels, thresholds are fitted on the "
        "other half of the held-out examples")
      .choices({"p_at_1", "p_at_5", "micro_f1", "macro_f1", "psp_at_1"});
  f.add("--validation", t.validation,
        "file of labelled examples to score trials on, instead of held-out examples of the data")
      .metavar("FILE");
  f.add("--held-out", o.tune.held_out, "share of the examples to hold out for scoring")
      .goes_with("data alone, not with --validation", [&t] { return t.validation.empty(); })
      .range(0.001, 0.9);
  f.add("--trials", o.tune.trials,
        "number of configurations to try; 0: as many as the budget allows")
      .range(0, 100000);
  f.add("--model", t.model, "model file to write, trained on all data with the best configuration")
      .metavar("FILE");
  describe_features(f, t.features);
  describe_weights(f, t.features);
  describe_network(f, t);
}

}  // namespace

Command tune_command(TuneCommandOptions& o) {
  Command command;
  command.name = "tune";
  command.summary = "search for the best configuration within a budget of CPU time";
  command.description =
      "Trains the default and random configurations on a ninth of the examples. The best third of "
      "them train on a third, and the best third of these on all examples. Each round gets a third "
      "of the CPU time (successive halving). Configurations are drawn 27 at a time. The cheapest "
      "by estimate are tried first, and none twice. Scores are measured on held-out examples.\n\n"
      "Options that you give stay fixed. The search varies learning rate, epochs, hidden units, "
      "loss, architecture and batch size. For text it also varies n-grams, and linear classifiers "
      "with their cost and pruning. With --metric micro_f1 or macro_f1, thresholds are fitted for "
      "each trial; for --model, as in train.\n\n"
      "The best configuration is a file for train --config. --seed decides which configurations "
      "are tried, the CPU time how many: --trials makes searches repeatable. INT and TERM end the "
      "search with exit status 75 and write the best configuration so far.";
  command.examples = {{"sparse-train tune train.csv --budget 2m -o best.yaml --report tune.html",
                       "search for two CPU minutes"},
                      {"sparse-train train train.csv --config best.yaml -o posts.model",
                       "train with the best configuration"}};
  command.often = {"--budget", "--metric",       "--validation", "--trials",
                   "--model",  "--architecture", "--report",     "--json"};
  command.describe = [&o](const OptionFields& f) { add_tune_options(f, o); };
  command.uses = {.seed = true, .device = true};
  command.describe_results = [](const ResultFields& f) {
    describe_result(f, TuneOptions{}, 0, Trial{});
  };
  command.run = [&o](Run& run) { return run_tune(o, run); };
  return command;
}

}  // namespace frugal::sparse
