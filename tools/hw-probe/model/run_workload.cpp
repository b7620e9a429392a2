#include "tools/hw-probe/model/run_workload.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::probe {
namespace {

constexpr double kFloat = sizeof(float);
/// A weight's multiply-add forward, for the input's gradient and for its own.
constexpr double kTrainingFlop = 6;
/// Weights are read forward and backward; gradient and two states of the optimiser come and go.
constexpr double kWeightPasses = 8;
/// A row is read, and later stepped.
constexpr double kRowPasses = 2;

/// Figures and options by name, which must be there.
class Facts {
 public:
  explicit Facts(const RunRecord& run) : run_(run) {}

  double figure(const char* name) const {
    const auto found = run_.figures.find(name);
    if (found == run_.figures.end()) missing(name);
    return found->second;
  }
  std::string text(const char* name) const {
    const auto found = run_.settings.find(name);
    if (found == run_.settings.end() || found->second.empty()) missing(name);
    return found->second.front();
  }
  double option(const char* name) const {
    const auto value = parse_number<double>(text(name));
    if (!value) missing(name);
    return *value;
  }
  double option_or(const char* name, double otherwise) const {
    return parse_number<double>(text(name)).value_or(otherwise);
  }
  /// Samples of a step, where `samples` make an epoch and all epochs are whole.
  double batch(double samples) const {
    return std::round(samples * figure("epochs") / std::max(1.0, figure("steps")));
  }
  /// Steps of this process: a resumed run has others before.
  double steps() const { return std::max(1.0, figure("steps") - figure("resumed_from_step")); }

 private:
  [[noreturn]] void missing(const char* name) const {
    fail(ExitStatus::bad_input, run_.name, ": the log has no number '", name,
         "', which the model of ", run_.tool, " needs");
  }
  const RunRecord& run_;
};

Workload workload_of(const RunRecord& run, double epoch_samples, double batch) {
  Workload workload;
  workload.name = run.name;
  workload.title = run.tool + " " + run.command + ", from its log";
  workload.tool = run.tool;
  workload.epoch_samples = epoch_samples;
  workload.batch = batch;
  return workload;
}

/// Good until the next stage is added.
Stage& add_stage(Workload* workload, const char* name) {
  Stage& stage = workload->stages.emplace_back();
  stage.name = name;
  stage.kernel = workload->tool + "-" + name;
  workload->stage_names.emplace_back(name);
  return stage;
}

/// Adds the optimiser stage of weights that every step changes, whose cost does not grow with the
/// batch.
void add_optimizer(Workload* workload, double weights) {
  Stage& stage = add_stage(workload, "optimizer");
  stage.step_bytes = kWeightPasses * kFloat * weights;
  stage.bytes_set = stage.step_bytes / 2;
  workload->state_bytes += stage.bytes_set;
}

/// Workload of robe-compress: layers over all samples, and a block of the array for each field,
/// read and stepped.
Workload robe_workload(const RunRecord& run, const Facts& facts) {
  Workload w = workload_of(run, facts.figure("samples"), facts.batch(facts.figure("samples")));
  const double dense = facts.figure("parameters") - facts.figure("embedding_parameters");
  Stage& rows = add_stage(&w, "rows");
  rows.sample_rows = kRowPasses * facts.figure("columns");
  rows.row_bytes = kFloat * facts.option("dim");
  rows.table_bytes = facts.figure("embedding_bytes");
  w.state_bytes += kRowPasses * rows.table_bytes;
  add_stage(&w, "products").sample_flop = kTrainingFlop * dense;
  add_optimizer(&w, dense);
  return w;
}

/// A step samples neighbours, slices their features and runs its layers. Nodes of the hops between
/// seeds and outermost are not in the log: their numbers are taken to grow by one factor.
Workload gnn_workload(const RunRecord& run, const Facts& facts) {
  const double seeds = facts.figure("train_seeds");
  const double all = seeds * facts.figure("epochs");
  const double nodes = facts.figure("sampled_nodes") / all;
  const std::string fanouts = facts.text("fanouts");
  const auto hops = static_cast<double>(split(fanouts, ',').size());
  const double features = facts.figure("features"), hidden = facts.option("hidden");
  Workload w = workload_of(run, seeds, facts.batch(seeds));
  Stage& sample = add_stage(&w, "sample");
  sample.sample_rows = facts.figure("sampled_edges") / all;
  sample.table_bytes = kFloat * facts.figure("edges");
  const double sampled_edges = sample.sample_rows, graph_bytes = sample.table_bytes;
  Stage& slice = add_stage(&w, "slice");
  slice.sample_rows = nodes;
  slice.row_bytes = kFloat * features;
  slice.table_bytes = slice.row_bytes * facts.figure("nodes");
  w.host_bytes = graph_bytes + slice.table_bytes;
  // Forward and backward, a layer sums a row for each edge.
  Stage& aggregate = add_stage(&w, "aggregate");
  aggregate.sample_rows = kRowPasses * sampled_edges;
  aggregate.row_bytes = kFloat * std::max(features, hidden);
  aggregate.table_bytes = nodes * w.batch * aggregate.row_bytes;
  // The outermost layer has `features` inputs and the most rows, the others `hidden`.
  const double weights = facts.figure("parameters");
  const double outer = weights * features / (features + (hops - 1) * hidden);
  const double growth = std::pow(nodes, 1 / hops);
  double rows = 1, row_weights = 0;
  for (double hop = 1; hop < hops; ++hop, rows *= growth) {
    row_weights += rows * (weights - outer) / (hops - 1);
  }
  Stage& train = add_stage(&w, "products");
  train.sample_flop = kTrainingFlop * (row_weights + rows * outer);
  add_optimizer(&w, weights);
  return w;
}

/// Each event has three nodes to embed and their neighbours' rows to read.
Workload tgn_workload(const RunRecord& run, const Facts& facts) {
  Workload w = workload_of(run, facts.figure("train_events"), facts.option("batch-size"));
  constexpr double kNodes = 3, kUsualWidth = 172;
  const double weights = facts.figure("parameters"),
               width = facts.option_or("memory-dim", kUsualWidth);
  Stage& events = add_stage(&w, "events");
  events.sample_flop = kTrainingFlop * kNodes * weights;
  events.sample_rows = kRowPasses * kNodes * (1 + facts.option("neighbors"));
  events.row_bytes = kFloat * width;
  events.table_bytes = 2 * events.row_bytes * facts.figure("nodes");
  w.host_bytes = events.table_bytes;
  add_optimizer(&w, weights);
  return w;
}

/// Sums of feature rows, and products of the hidden units with the outputs that are active.
Workload sparse_workload(const RunRecord& run, const Facts& facts) {
  const double examples = facts.figure("examples");
  Workload w = workload_of(run, examples, facts.batch(examples));
  const double hidden = facts.figure("hidden"), active = facts.figure("active_outputs");
  Stage& rows = add_stage(&w, "rows");
  rows.sample_rows = kRowPasses * facts.figure("features_per_example");
  rows.row_bytes = kFloat * hidden;
  rows.table_bytes = rows.row_bytes * facts.figure("features");
  w.state_bytes +=
      kRowPasses * rows.row_bytes * (facts.figure("features") + facts.figure("labels"));
  add_stage(&w, "products").sample_flop = kTrainingFlop * hidden * active;
  add_optimizer(&w, hidden * std::min(facts.figure("labels"), active));
  return w;
}

}  // namespace

Workload run_workload(const RunRecord& run) {
  using Function = Workload (*)(const RunRecord&, const Facts&);
  static constexpr std::pair<const char*, Function> kTools[] = {{"robe-compress", robe_workload},
                                                                {"gnn-sample", gnn_workload},
                                                                {"tgn-train", tgn_workload},
                                                                {"sparse-train", sparse_workload}};
  for (const auto& [tool, function] : kTools) {
    if (run.tool == tool && run.command == "train") return function(run, Facts(run));
  }
  fail(
      ExitStatus::bad_input, run.name, ": a log of '", run.tool, " ", run.command,
      "', expected one of a train command of sparse-train, robe-compress, gnn-sample or tgn-train");
}

MeasuredRun measured_run(const RunRecord& run) {
  const Facts facts(run);
  return {run.name, run_workload(run), facts.figure("fit_seconds") / facts.steps()};
}

}  // namespace frugal::probe
