#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/tgn-train/commands/tool.h"
#include "tools/tgn-train/sweep/sweep_report.h"

namespace frugal::tgn {
namespace {

constexpr char kSweep[] = "Sweep";

/// The options of one run.
TrainOptions options_of(const SweepCommandOptions& o, const SweepSetting& setting, const Run& run) {
  TrainCommandOptions command = o.train;
  command.train.mode = memory_mode_from_name(setting.memory);
  command.train.batch = setting.batch;
  refuse_without_effect(command.train);
  TrainOptions options = complete_options(command, run);
  options.device = "cpu";  // what it compares are figures of one kind of device
  options.events = o.sweep.events;
  options.seed = setting.seed;
  options.network.precision = setting.precision == "bf16" ? Precision::bf16 : Precision::f32;
  options.ranking = o.ranks;
  options.ranking.seed = run.options().seed;
  return options;
}

std::string machine_text(const Run& run) {
  return format_count(static_cast<std::uint64_t>(run.threads()), "thread") + " with " + run.simd();
}

std::vector<SweepRun> run_all(const SweepCommandOptions& o, Run& run) {
  const std::vector<SweepSetting> settings = sweep_settings(o.sweep, run.options().seed);
  const auto seeds = static_cast<std::size_t>(o.sweep.seeds);
  const bool ranks = o.ranks.kind != "none";
  const WarningsOnce warnings;
  const auto progress = run.progress("sweeping", static_cast<double>(settings.size()), "runs");
  run.say(sweep_head(ranks));
  std::vector<SweepRun> of_point;
  std::size_t finished = 0;
  SweepObserver observer;
  observer.progress = [&](double done, const std::string& note) { progress->update(done, note); };
  observer.finished = [&](const SweepRun& one) {
    of_point.push_back(one);
    progress->update(static_cast<double>(++finished));
    if (of_point.size() < seeds) return;
    run.say(sweep_row(sweep_points(of_point)[0], ranks));
    of_point.clear();
  };
  std::vector<SweepRun> runs = sweep(
      o.sweep, settings, [&](const SweepSetting& setting) { return options_of(o, setting, run); },
      observer);
  progress->finish();
  return runs;
}

void describe_result(const ResultFields& f, int threads, const std::string& simd,
                     const std::vector<SweepRun>& runs) {
  f.add("threads", threads, "threads of a run");
  f.add("simd", simd, "vector instructions of a run");
  describe_sweep(f, runs);
}

ExitStatus run_sweep(const SweepCommandOptions& o, Run& run) {
  handle_signals();
  check_output(o.sweep.output);
  check_output(o.plot);
  if (!o.train.train.evaluates) {
    fail(ExitStatus::usage, "--no-eval: a sweep compares how accurate models are");
  }
  run.reads(o.sweep.events);
  if (names_rank_file(o.ranks.kind)) run.reads(o.ranks.kind);
  run.writes(o.sweep.output);
  run.writes(o.plot);
  const std::vector<SweepRun> runs = run_all(o, run);
  const std::vector<SweepPoint> points = sweep_points(runs);
  const std::string machine = machine_text(run);
  run.say("AP: mean over batches of 200; events/s: " + machine);
  describe_result(ResultFields(run.result()), run.threads(), run.simd(), runs);
  if (!o.plot.empty()) write_file(o.plot, figures_file(sweep_figures(points, machine)));
  if (!run.options().report.empty()) add_sweep_report(points, machine, run.report());
  return ExitStatus::ok;
}

void add_sweep_options(const OptionFields& fields, SweepCommandOptions& o) {
  const OptionFields f = fields.group(kSweep);
  f.add("--batch-size", o.sweep.batches, "batch sizes to compare, in events of an optimiser step")
      .range(1, 1 << 20);
  f.add("--precision", o.sweep.precisions, "number types of matrix products to compare: f32, bf16")
      .choices({"f32", "bf16"});
  f.add("--memory", o.sweep.memories,
        "memory modes to compare, as --memory of train: window, exact, read")
      .choices({"window", "exact", "read"});
  f.add("--seeds", o.sweep.seeds,
        "number of models for each combination, with the seeds --seed, --seed + 1 and so on")
      .range(1, 1000);
  f.add("--plot", o.plot, "SVG file to write the figures to").metavar("FILE");
}

}  // namespace

Command sweep_command(SweepCommandOptions& o) {
  Command command;
  command.name = "sweep";
  command.summary = "compare batch sizes, precisions and memory modes on your stream";
  command.description =
      "Trains and tests a model for each combination of batch size, precision, memory mode and "
      "seed. Prints the average precision of validation, of the test and of the test's events with "
      "new nodes, as means over batches of 200 events. With --ranks it also prints the mean "
      "reciprocal rank. Speed is the number of training events in a second and in a CPU second. If "
      "a combination fails, the sweep names it and continues with the others; it fails if all of "
      "them fail. --report draws accuracy and speed over batch sizes; --plot writes the same "
      "figures to an SVG file.\n\n"
      "With --output, every finished run is stored in a file, one JSON object a line. Run the same "
      "command again to continue a sweep that was stopped or killed. A sweep with more batch sizes "
      "or seeds adds its runs to the file. Runs with the same options, events, threads and vector "
      "instructions are not repeated.";
  command.examples = {
      {"tgn-train sweep EVENTS -o sweep.jsonl --report sweep.html",
       "compare batches of 10, 40 and 200, f32 and bf16, and two memory modes"},
      {"tgn-train sweep EVENTS --batch-size 10,25,50,100,200,400 --memory window --precision f32 "
       "--seeds 3 --epochs 10 -o sweep.jsonl --plot sweep.svg",
       "accuracy and speed over batch sizes, three seeds each"}};
  command.often = {"--batch-size", "--memory", "--precision", "--seeds",
                   "--epochs",     "--output", "--report",    "--plot"};
  command.describe = [&o](const OptionFields& f) {
    f.add("events", o.sweep.events, "events file written by import or generate")
        .required()
        .metavar("EVENTS");
    f.add("-o,--output", o.sweep.output,
          "file of finished runs to write, or to continue if it exists")
        .metavar("FILE");
    add_sweep_options(f, o);
    describe_ranks(f, o.ranks.kind, o.ranks.count);
    describe_sweep_runs(f, o.train.train);
  };
  command.uses = {.seed = true, .device = true};
  command.describe_results = [](const ResultFields& f) { describe_result(f, 0, "", {}); };
  command.run = [&o](Run& run) { return run_sweep(o, run); };
  return command;
}

}  // namespace frugal::tgn
