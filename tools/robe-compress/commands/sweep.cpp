#include <nlohmann/json.hpp>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/report/report.h"
#include "libcore/system/output_file.h"
#include "libcore/system/signals.h"
#include "tools/robe-compress/commands/tool.h"
#include "tools/robe-compress/settings/train_fields.h"
#include "tools/robe-compress/sweep/sweep_report.h"

namespace frugal::robe {
namespace {

constexpr char kSweep[] = "Sweep";
constexpr int kCompressionDigits = 6;

void say_point(const SweepPoint& p, Run& run) {
  const std::string compression = format_number(p.compression, kCompressionDigits);
  if (p.num_trained() == 0) return run.say(p.name() + " " + compression + "x: " + p.failure());
  const SampleMean auc = p.mean("auc");
  const std::string deviation = p.num_trained() < 2 ? "" : " +- " + format_number(auc.deviation, 2);
  char text[160];
  std::snprintf(text, sizeof text, "%-13s %7sx %10s  AUC %.4f%s  log-loss %.4f", p.name().c_str(),
                compression.c_str(), format_bytes(p.bytes()).c_str(), auc.mean, deviation.c_str(),
                p.mean("log_loss").mean);
  run.say(text);
}

void say_speeds(const std::vector<SweepPoint>& points, Run& run) {
  run.say("look-ups, one thread, nothing else running:");
  for (const SweepPoint& p : points) {
    if (p.num_trained() == 0) continue;
    char text[160];
    std::snprintf(text, sizeof text, "%-13s %7sx %10s  %6.1f M rows/s", p.name().c_str(),
                  format_number(p.compression, kCompressionDigits).c_str(),
                  format_bytes(p.bytes()).c_str(), p.lookups_per_second / 1e6);
    run.say(text);
  }
}

void describe_result(const ResultFields& f, const std::vector<SweepPoint>& points,
                     const std::string& part) {
  auto list = nlohmann::ordered_json::array();
  for (const SweepPoint& p : points) {
    nlohmann::ordered_json point = json_of(p);
    if (p.num_trained() == 0) {
      point["refused"] = p.failure();
    } else {
      point["bytes"] = p.bytes();
      add_mean(point, part + "_auc", p.mean("auc"));
      point[part + "_aucs"] = p.values("auc");
      add_mean(point, part + "_log_loss", p.mean("log_loss"));
      point["lookups_per_second"] = p.lookups_per_second;
      point["samples_per_second"] = p.samples_per_second();
    }
    list.push_back(std::move(point));
  }
  f.add("evaluated_on", part, "test, or validation without --test");
  f.add(
      "points", list,
      "a list of method, storage, compression, bytes, test_auc, test_auc_deviation, test_aucs (by "
      "seed), test_log_loss, test_log_loss_deviation (without --test validation_auc and so on), "
      "lookups_per_second and samples_per_second; or refused, the reason why there is no model");
}

ExitStatus run_sweep(const SweepCommandOptions& o, Run& run) {
  SweepOptions options = o.sweep;
  options.train = complete_options(o.train, run);
  options.first_seed = options.train.seed;
  handle_signals();
  check_output(options.output);
  check_output(options.log);
  run.reads(options.train.data);
  run.reads(options.train.validation);
  run.reads(options.train.test);
  run.writes(options.output);
  run.writes(options.log);
  TaskProgress progress(run);
  const WarningsOnce warnings;
  std::vector<SweepPoint> points = sweep_points(options);
  SweepPlan plan;
  plan.progress = [&](double done, double total, const std::string&) {
    progress.update({"sweeping", total, "runs"}, done);
  };
  plan.finished = [&](std::size_t i) { say_point(points[i], run); };
  sweep(options, points, plan);
  progress.finish();
  say_speeds(points, run);
  const std::string part = options.train.test.empty() ? "validation" : "test";
  describe_result(ResultFields(run.result()), points, part);
  if (!options.output.empty()) write_file(options.output, sweep_csv(points, part));
  if (!run.options().report.empty()) add_sweep_report(points, run.report());
  return ExitStatus::ok;
}

void describe_sweep(const OptionFields& f, SweepCommandOptions& o) {
  Names storages = storage_names();
  storages.insert(storages.begin(), "auto");
  f.add("data", o.train.train.data, "file of labelled samples; - is stdin")
      .required()
      .metavar("DATA");
  f.add("--validation", o.train.train.validation,
        "file of labelled samples to choose the best epoch by; without --test also to compare on. "
        "Default: the samples of --held-out")
      .metavar("FILE");
  f.add("--test", o.train.train.test,
        "file of labelled samples to compare on, which have no effect on training. Default: the "
        "validation samples")
      .metavar("FILE");
  f.add("-o,--output", o.sweep.output, "CSV file to write the results to").metavar("FILE");
  const OptionFields s = f.group(kSweep);
  s.add("--method", o.sweep.methods, "methods to compare").choices(method_names());
  s.add("--storage", o.sweep.storages,
        "number types to compare, for methods without a fixed size; a single value also applies to "
        "full. Default: as in train")
      .choices(storages);
  s.add("--compression", o.sweep.compressions,
        "compression ratios to compare, relative to full tables in f32")
      .range(1.0, 1e9);
  describe_seeds(s, o.sweep.seeds);
  s.add("--runs", o.sweep.log, "file of finished runs to write, or to continue if it exists")
      .metavar("FILE");
  describe_sweep_runs(f, o.train.train);
  describe_sweep_conditions(f, o.train.train, o.sweep.methods, o.sweep.storages);
}

}  // namespace

Command sweep_command(SweepCommandOptions& o) {
  Command command;
  command.name = "sweep";
  command.summary = "compare methods and sizes on your data";
  command.description =
      "Reads the data once and trains a model for each method, compression and seed. Prints for "
      "each the AUC and log-loss on samples that it was not trained on, its size, and the speed of "
      "look-ups. All methods get the same network and rates and, except full, int8 and int4, the "
      "same bytes. Without --epochs each gets the number of epochs that validates best. A method "
      "that cannot be as small as asked for is reported, also in the table; if none can, the exit "
      "status is 2. Samples that choose the best epoch (--validation, --held-out) give optimistic "
      "metrics. With --test the metrics come from samples that chose nothing. Look-ups are timed "
      "after all models are trained.\n\n"
      "With --runs, every finished run is stored in a file, one JSON object a line. Run the same "
      "command again to continue a sweep that was stopped or killed. Runs with the same options, "
      "samples, threads and vector instructions are not repeated.";
  command.examples = {
      {"robe-compress sweep day.tsv --held-out last:0.1 --report sweep.html",
       "compare all methods at the default sizes, with a plot of AUC by size"},
      {"robe-compress sweep train.csv --held-out last:0.1 --test test.csv --method robe,hash,full "
       "--compression 10,100,1000,10000 --seeds 3 -o sweep.csv",
       "three seeds of each combination, also as a CSV table"}};
  command.often = {"--validation", "--held-out", "--test",   "--method", "--compression",
                   "--storage",    "--seeds",    "--output", "--report"};
  command.describe = [&o](const OptionFields& f) { describe_sweep(f, o); };
  command.uses = {.seed = true, .precision = true, .device = true};
  command.describe_results = [](const ResultFields& f) {
    describe_result(f, std::vector<SweepPoint>{}, "");
  };
  command.run = [&o](Run& run) { return run_sweep(o, run); };
  return command;
}

}  // namespace frugal::robe
