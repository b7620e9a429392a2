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
TrainOptions options_of(const SweepCommandOptions& o, const SweepPoint& point, std::uint64_t seed,
                        const Run& run) {
  TrainCommandOptions command = o.train;
  command.train.mode = memory_mode_from_name(point.memory);
  command.train.batch = point.batch;
  refuse_without_effect(command.train);
  TrainOptions options = complete_options(command, run);
  options.device = "cpu";  // what it compares are figures of one kind of device
  options.events = o.sweep.events;
  options.seed = seed;
  options.network.precision = point.precision == "bf16" ? Precision::bf16 : Precision::f32;
  options.ranking = o.ranks;
  options.ranking.seed = run.options().seed;
  return options;
}

std::string machine_text(const Run& run) {
  return format_count(static_cast<std::uint64_t>(run.threads()), "thread") + " with " + run.simd();
}

std::vector<SweepPoint> run_all(const SweepCommandOptions& o, Run& run) {
  SweepOptions options = o.sweep;
  options.first_seed = run.options().seed;
  std::vector<SweepPoint> points = sweep_points(options);
  const bool ranks = o.ranks.kind != "none";
  const WarningsOnce warnings;
  TaskProgress progress(run);
  run.say(sweep_head(ranks));
  SweepPlan plan;
  plan.progress = [&](double done, double total, const std::string& note) {
    progress.update({"sweeping", total, "runs"}, done, note);
  };
  plan.finished = [&](std::size_t i) { run.say(sweep_row(points[i], ranks)); };
  sweep(
      options, points,
      [&](const SweepPoint& point, std::uint64_t seed) { return options_of(o, point, seed, run); },
      plan);
  progress.finish();
  return points;
}

void describe_result(const ResultFields& f, int threads, const std::string& simd,
                     const std::vector<SweepPoint>& points) {
  f.add("threads", threads, "threads of a run");
  f.add("simd", simd, "vector instructions of a run");
  describe_sweep(f, points);
}

ExitStatus run_sweep(const SweepCommandOptions& o, Run& run) {
  handle_signals();
  check_output(o.sweep.log);
  check_output(o.plot);
  if (!o.train.train.evaluates) {
    fail(ExitStatus::usage, "--no-eval: a sweep compares how accurate models are");
  }
  run.reads(o.sweep.events);
  if (names_rank_file(o.ranks.kind)) run.reads(o.ranks.kind);
  run.writes(o.sweep.log);
  run.writes(o.plot);
  const std::vector<SweepPoint> points = run_all(o, run);
  const std::string machine = machine_text(run);
  run.say("AP: mean over batches of 200; events/s: " + machine);
  describe_result(ResultFields(run.result()), run.threads(), run.simd(), points);
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
  describe_seeds(f, o.sweep.seeds);
  f.add("--plot", o.plot, "SVG file to write the figures to").metavar("FILE");
}

}  // namespace

Command sweep_command(SweepCommandOptions& o) {
  Command command;
  command.name = "sweep";
  command.summary = "compare batch sizes, precisions and memory modes";
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
    f.add("-o,--output", o.sweep.log, "file of finished runs to write, or to continue if it exists")
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
