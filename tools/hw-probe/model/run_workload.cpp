#include "tools/hw-probe/model/run_workload.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/hw-probe/model/gnn_workload.h"
#include "tools/hw-probe/model/run_facts.h"

namespace frugal::probe {
namespace {

constexpr MemoryShares kRobeMemory{9e6, 2.3, 5, 5}, kTgnMemory{9e6, 2.3, 7, 8},
    kSparseMemory{9.5e6, 2.1, 4.2, 8};

/// Kernels of a step on a device, and about as many parallel regions on a CPU
/// (tests/bench/results/devices.md).
constexpr double kRobeLaunches = 43, kTgnLaunches = 34, kSparseLaunches = 20;

/// Workload of robe-compress: layers over all samples, and a block of the array for each field,
/// read and stepped.
Workload robe_workload(const RunRecord& run, const RunFacts& facts) {
  Workload w = workload_of(run, facts.figure("samples"), facts.batch(facts.figure("samples")));
  const double dense = facts.figure("parameters") - facts.figure("embedding_parameters");
  Stage& rows = add_stage(&w, "rows");
  rows.sample_rows = kRowPasses * facts.figure("columns");
  const double rows_bytes = kFloat * facts.option("dim");
  rows.row_bytes = rows_bytes;
  rows.table_bytes = facts.figure("embedding_bytes");
  // Categories become rows, and losses gradients, value by value: 1 ns each at least.
  constexpr double kLeastMicro = 1e-3;
  add_stage(&w, "fields").sample_core_us = kLeastMicro * facts.figure("columns");
  Stage& products = add_stage(&w, "products");
  products.bf16 = facts.text("precision") != "f32";
  products.sample_flop = kTrainingFlop * dense;
  products.launches = kRobeLaunches;
  add_optimizer(&w, dense);
  const double columns = facts.figure("columns");
  // The array has no gradient of its own: weights and one state.
  set_memory(&w, kRobeMemory, kFloat * columns * facts.figure("samples"), kFloat * dense,
             columns * rows_bytes);
  w.state_bytes += 2 * kFloat * facts.figure("embedding_parameters");
  return w;
}

/// Each event has three nodes to embed and their neighbours' rows to read.
Workload tgn_workload(const RunRecord& run, const RunFacts& facts) {
  Workload w = workload_of(run, facts.figure("train_events"),
                           facts.figure_or_option("batch_size", "batch-size"));
  const double neighbors = facts.figure_or_option("neighbors", "neighbors");
  constexpr double kNodes = 3, kUsualWidth = 172;
  const double weights = facts.figure("parameters"),
               width = facts.option_or("memory-dim", kUsualWidth);
  Stage& events = add_stage(&w, "events");
  events.sample_flop = kTrainingFlop * kNodes * weights;
  events.launches = kTgnLaunches;
  events.sample_rows = kRowPasses * kNodes * (1 + neighbors);
  events.row_bytes = kFloat * width;
  events.table_bytes = 2 * events.row_bytes * facts.figure("nodes");
  add_optimizer(&w, weights);
  set_memory(&w, kTgnMemory, events.table_bytes / 2, kFloat * weights,
             kNodes * (1 + neighbors) * events.row_bytes);
  return w;
}

/// Trees have no steps: all cores work on them, each taken to be as fast as those of the run. With
/// a network beside them (hybrid), its epochs share the whole time.
Workload tree_workload(const RunRecord& run, const RunFacts& facts) {
  constexpr double kMicro = 1e-6;
  const double examples = facts.figure("examples");
  Workload w = workload_of(run, examples, examples);
  w.has_batches = false;
  w.title += ": trees, on cores as fast as those of the log";
  Stage& trees = add_stage(&w, "trees");
  trees.kernel = "";
  trees.on_host = true;
  trees.sample_core_us =
      facts.figure("fit_seconds") / facts.steps() / kMicro * run.threads / examples;
  w.host_bytes = facts.figure_or("peak_memory_bytes", 0);
  return w;
}

/// Sums of feature rows, and products of the hidden units with the outputs that are active.
Workload sparse_workload(const RunRecord& run, const RunFacts& facts) {
  const double examples = facts.figure("examples");
  if (facts.has("trees")) return tree_workload(run, facts);
  Workload w = workload_of(run, examples, facts.batch(examples));
  const double hidden = facts.figure("hidden"), active = facts.figure("active_outputs");
  Stage& rows = add_stage(&w, "rows");
  rows.sample_rows = kRowPasses * facts.figure("features_per_example");
  rows.row_bytes = kFloat * hidden;
  rows.table_bytes = rows.row_bytes * facts.figure("features");
  Stage& products = add_stage(&w, "products");
  products.bf16 = facts.text("precision") != "f32";
  products.sample_flop = kTrainingFlop * hidden * active;
  products.launches = kSparseLaunches;
  const double labels = facts.figure("labels");
  add_optimizer(&w, hidden * std::min(labels, active));
  constexpr double kFeature = 8;  // number and value
  set_memory(&w, kSparseMemory, kFeature * facts.figure("features_per_example") * examples,
             rows.row_bytes * (facts.figure("features") + labels), rows.row_bytes);
  return w;
}

Workload steps_workload(const RunRecord& run) {
  using Function = Workload (*)(const RunRecord&, const RunFacts&);
  static constexpr std::pair<const char*, Function> kTools[] = {{"robe-compress", robe_workload},
                                                                {"gnn-sample", gnn_workload},
                                                                {"tgn-train", tgn_workload},
                                                                {"sparse-train", sparse_workload}};
  for (const auto& [tool, function] : kTools) {
    if (run.tool == tool && run.command == "train") return function(run, RunFacts(run));
  }
  fail(
      ExitStatus::bad_input, run.path, ": a log of '", run.tool, " ", run.command,
      "', expected one of a train command of sparse-train, robe-compress, gnn-sample or tgn-train");
}

/// Adds the rest of the run to its steps: its epochs, its time before them and in validations.
void add_rest(const RunRecord& run, const RunFacts& facts, Workload* workload) {
  constexpr double kMicro = 1e-6;
  workload->epochs = facts.figure_or("epochs", 1);
  const double setup = facts.figure_or("read_seconds", 0) + facts.figure_or("search_seconds", 0);
  workload->setup_core_us = setup / kMicro * run.threads / workload->epoch_samples;
  const double fit = facts.figure("fit_seconds");
  const double rest = facts.figure_or("train_seconds", 0) - setup - fit;
  if (fit > 0) workload->validation_share = std::max(0.0, rest / fit);
}

}  // namespace

Workload run_workload(const RunRecord& run) {
  Workload workload = steps_workload(run);
  add_rest(run, RunFacts(run), &workload);
  return workload;
}

Workload prediction_workload(const RunRecord& run) {
  Workload workload = steps_workload(run);
  workload.title = run.tool + " predict, from the log of the training";
  constexpr double kForwardShare = 1 / 3.0;
  for (Stage& stage : workload.stages) {
    stage.sample_flop *= kForwardShare;
    stage.step_flop *= kForwardShare;
    stage.sample_rows /= kRowPasses;
    if (stage.name == "optimizer") stage.step_bytes /= kWeightPasses;
  }
  return workload;
}

LoggedRun logged_run(const RunRecord& run) {
  const RunFacts facts(run);
  const double fit = facts.figure("fit_seconds");
  LoggedRun logged;
  if (!run.cpu.empty()) {
    logged.machine =
        run.cpu + ", " + format_count(static_cast<std::uint64_t>(run.threads), "thread");
  }
  const Workload workload = steps_workload(run);
  const double steps = std::ceil(workload.epoch_samples / workload.batch);
  logged.epochs = facts.figure_or("epochs", 1);
  logged.epoch_seconds = steps * fit / facts.steps();
  logged.job_seconds = facts.figure_or("train_seconds", fit);
  return logged;
}

MeasuredRun measured_run(const RunRecord& run) {
  const RunFacts facts(run);
  // One thread does not wait for others: its CPU time does not contain those that share the CPU.
  const double wall = facts.figure("fit_seconds");
  const double seconds = run.threads == 1 ? facts.figure_or("fit_cpu_seconds", wall) : wall;
  return {run.name, run_workload(run), seconds / facts.steps(),
          facts.figure_or("peak_memory_bytes", 0)};
}

}  // namespace frugal::probe
