#include <filesystem>
#include <nlohmann/json.hpp>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/cpu.h"
#include "libcore/system/output_file.h"
#include "tools/hw-probe/commands/calibration_file.h"
#include "tools/hw-probe/commands/catalogue.h"
#include "tools/hw-probe/commands/log_file.h"
#include "tools/hw-probe/commands/tool.h"
#include "tools/hw-probe/model/run_workload.h"

namespace frugal::probe {
namespace {

using Json = nlohmann::ordered_json;

/// Fails (bad_input) where a machine was measured with another number of threads than the run had.
void check_threads(const RunRecord& record, const MachineSpec& machine,
                   const std::string& machine_name) {
  const bool is_measured = machine_name == "this" || machine_name.ends_with(".json");
  if (!is_measured || record.cpu.empty() || record.threads == machine.host.units) return;
  fail(ExitStatus::bad_input, record.path, ": a run with --threads ", format_number(record.threads),
       ", but ", machine_name, " was measured with ", format_number(machine.host.units),
       "; expected the same number");
}

/// Label trees have no kinds of kernels to fit: they are left out.
std::vector<MeasuredRun> read_runs(const std::vector<std::string>& paths,
                                   const MachineSpec& machine, const std::string& machine_name) {
  std::vector<MeasuredRun> runs;
  for (const std::string& path : paths) {
    const RunRecord record = read_run(path);
    MeasuredRun measured = measured_run(record);
    if (!measured.workload.has_batches) {
      log_warning(path, ": a run of label trees is left out: they have no kinds of kernels");
      continue;
    }
    check_threads(record, machine, machine_name);
    runs.push_back(std::move(measured));
  }
  return runs;
}

std::string milliseconds(double seconds) {
  constexpr double kMilli = 1e3;
  return format_number(kMilli * seconds, 3) + " ms";
}

void describe_predictions(const ResultFields& f, const std::string& kind,
                          const std::vector<PredictedRun>& runs) {
  Json list = Json::array();
  for (const PredictedRun& one : runs) {
    list.push_back({{"log", one.name},
                    {"measured_seconds", one.measured},
                    {"predicted_before", one.before},
                    {"predicted_after", one.after},
                    {"memory_bytes", one.memory_bytes},
                    {"predicted_memory_bytes", one.predicted_memory_bytes}});
  }
  f.add(kind, list,
        "of each run, log, measured_seconds of a step, predicted_before and predicted_after the "
        "fit, memory_bytes (0: the log does not say) and predicted_memory_bytes");
  f.when(kind + " runs", !runs.empty(), [&](const ResultFields& some) {
    const MeanErrors errors = runs.empty() ? MeanErrors{} : mean_errors(runs);
    some.add(kind + "_error_before", errors.before, "mean relative error before the fit");
    some.add(kind + "_error_after", errors.after, "mean relative error after the fit");
    some.add(kind + "_memory_error", errors.memory,
             "mean relative error of the memory, of logs that have it");
  });
}

void describe_calibration(const ResultFields& f, const Calibration& calibration) {
  f.add("machine", calibration.machine, "machine that the runs were made on");
  f.add("efficiency", calibration.efficiency.kernels,
        "by kind of kernel, the share of the modelled speed it reaches");
  const Interval& interval = calibration.interval;
  f.when("nine runs or more", interval.exists(), [&](const ResultFields& some) {
    some.add("interval_low", interval.low,
             "lower end of the interval of measured / predicted time that contains 80 % of runs");
    some.add("interval_high", interval.high, "upper end of the interval");
    some.add("interval_runs", interval.runs, "number of runs that the interval comes from");
    some.add("interval_covered", interval.covered,
             "share of these runs that an interval of the other ones contains");
  });
}

/// Interval of runs that the fit did not see: the held-out ones, and each fitted one by a fit to
/// the others.
Interval unseen_interval(const std::vector<MeasuredRun>& fitted,
                         const std::vector<PredictedRun>& held_out, const MachineSpec& machine) {
  std::vector<double> ratios = left_out_ratios(fitted, machine);
  for (const PredictedRun& run : held_out) ratios.push_back(run.measured / run.after);
  return interval_of(ratios);
}

std::string interval_text(const Interval& interval) {
  if (!interval.exists()) {
    return "no interval: that takes " + std::to_string(kFewestRuns) + " runs at least";
  }
  return "80 % of runs take " + format_number(interval.low, 3) + " to " +
         format_number(interval.high, 3) + " times the prediction (" +
         format_percent(interval.covered) + " of " + format_number(interval.runs) +
         " runs that the fit did not see)";
}

/// Runs with what the model said of them before and after, a line each, and the mean errors.
void report(const std::string& kind, const std::vector<PredictedRun>& runs, Run& run) {
  describe_predictions(ResultFields(run.result()), kind, runs);
  if (runs.empty()) return;
  for (const PredictedRun& one : runs) {
    run.say(kind + " " + one.name + ": a step took " + milliseconds(one.measured) + ", predicted " +
            milliseconds(one.before) + " before, " + milliseconds(one.after) + " after");
  }
  const MeanErrors errors = mean_errors(runs);
  run.say("mean error of " + format_count(runs.size(), kind + " run") + ": " +
          format_percent(errors.before) + " before, " + format_percent(errors.after) + " after" +
          (errors.memory > 0 ? "; of memory " + format_percent(errors.memory) : ""));
}

/// Fails (check_failed) where the fitted model is too wrong to be of use.
void check_error(const std::string& runs, double error) {
  constexpr double kMostError = 0.5;
  if (error <= kMostError) return;
  fail(
      ExitStatus::check_failed, "the fitted model misses ", runs, " by ", format_percent(error),
      " on average, more than 50 %: nothing is written. Expected more runs, and a machine that was "
      "quiet when they and hw-probe bench ran");
}

ExitStatus run_calibrate(const CalibrateOptions& options, Run& run) {
  const std::string output = options.output.empty() ? calibration_file() : options.output;
  if (output.empty()) {
    fail(ExitStatus::usage, "neither XDG_CONFIG_HOME nor HOME is set; expected --output FILE");
  }
  run.writes(output);
  for (const auto* const logs : {&options.logs, &options.held_out}) {
    for (const std::string& log : *logs) run.reads(log);
  }
  const MachineSpec machine = load_machine(options.machine, run.threads(), options.allow_noisy);
  const std::vector<MeasuredRun> fitted = read_runs(options.logs, machine, options.machine);
  const std::vector<MeasuredRun> held_out = read_runs(options.held_out, machine, options.machine);
  if (fitted.empty()) {
    fail(ExitStatus::bad_input, "no log is of a run to fit to, expected one of sparse-train's ",
         "networks, robe-compress, gnn-sample or tgn-train");
  }
  Calibration calibration{output, machine.title, fit_efficiencies(fitted, machine), {}};
  const std::vector<PredictedRun> after_fit = predict(fitted, machine, calibration.efficiency);
  const std::vector<PredictedRun> after_held_out =
      predict(held_out, machine, calibration.efficiency);
  report("fitted", after_fit, run);
  report("held-out", after_held_out, run);
  check_error(after_held_out.empty() ? "the runs" : "the held-out runs",
              mean_errors(after_held_out.empty() ? after_fit : after_held_out).after);
  if (options.output.empty()) {
    std::filesystem::create_directories(std::filesystem::path(output).parent_path());
  }
  calibration.interval = unseen_interval(fitted, after_held_out, machine);
  write_file(output, calibration_text(calibration));
  describe_calibration(ResultFields(run.result()), calibration);
  run.say(interval_text(calibration.interval));
  run.say("efficiencies written to " + output);
  return ExitStatus::ok;
}

}  // namespace

Command calibrate_command(CalibrateOptions& options) {
  Command command;
  command.name = "calibrate";
  command.summary = "compare predictions with measured runs and correct them";
  command.description =
      "Reads logs that train commands of sparse-train (networks), robe-compress, gnn-sample and "
      "tgn-train wrote to --metrics on this machine. Compares the time of a step with the "
      "prediction of advise. Fits an efficiency for each kind of kernel: the share of the modelled "
      "speed that it reaches. Chooses the efficiencies that minimise the sum of squared log ratios "
      "of predicted and measured time. Prints the error before and after.\n\n"
      "Runs of --held-out are predicted but not fitted to: their error is the one to expect for "
      "other runs. The --threads of the runs must be the ones of the machine that is measured. "
      "Kinds that the runs do not have are not in the file: give all logs in one command. If the "
      "mean error after the fit is above 50 % for the held-out runs (without them, for the fitted "
      "ones), nothing is written and the exit status is 1.\n\n"
      "The interval of advise's predictions comes from runs that the fit does not see. These are "
      "the runs of --held-out and each fitted run, predicted by a fit to the others. An interval "
      "takes nine runs.\n\n"
      "The efficiencies are written to $XDG_CONFIG_HOME/frugal/calibration.yaml or, if that is not "
      "set, ~/.config/frugal/calibration.yaml, one line for each kind. advise reads this file "
      "unless --calibration names another. Workloads of other programs have kinds of their own or "
      "none, so they are not changed.";
  command.examples = {
      {"hw-probe calibrate a.jsonl b.jsonl", "fit efficiencies for advise to two runs"},
      {"hw-probe calibrate a.jsonl b.jsonl --held-out c.jsonl",
       "also report the error on a third run"},
      {"hw-probe calibrate logs/*.jsonl --machine bench.json -o node7.yaml",
       "fit efficiencies for another node, from its figures and runs"}};
  command.often = {"--held-out", "--machine", "--output", "--json"};
  command.describe = [&options](const OptionFields& f) {
    f.add("logs", options.logs, "metrics files of runs to fit to").metavar("LOG").required();
    f.add("--held-out", options.held_out,
          "metrics file of a run that is predicted but not fitted to; may be repeated")
        .metavar("LOG")
        .accumulates();
    f.add("--machine", options.machine,
          "machine on which the runs were made: a name, a file or 'this'")
        .suggests(suggested_machines())
        .metavar("NAME");
    f.add("--allow-noisy", options.allow_noisy,
          "use a measurement of the machine that hw-probe bench marked as too noisy");
    f.add("-o,--output", options.output,
          "file to write the efficiencies to; default: the user's own file")
        .metavar("FILE");
  };
  command.describe_results = [](const ResultFields& f) {
    describe_predictions(f, "fitted", {});
    describe_predictions(f, "held-out", {});
    describe_calibration(f, {});
  };
  command.run = [&options](Run& run) { return run_calibrate(options, run); };
  return command;
}

}  // namespace frugal::probe
