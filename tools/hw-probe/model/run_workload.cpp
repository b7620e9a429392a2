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
/// Activations, dropout and norms read and write each row of a layer forward and backward.
constexpr double kLayerPasses = 10;
/// Bytes of memory for each byte of its kind, and of the program itself, as the runs of runs.sh had
/// them (tests/bench/results/hw-probe.md).
struct MemoryShares {
  double program, data, weights, batch;
};
constexpr MemoryShares kRobeMemory{9e6, 2.3, 5, 5}, kGnnMemory{8e6, 2.5, 7, 5},
    kTgnMemory{9e6, 2.3, 7, 8}, kSparseMemory{9.5e6, 2.1, 4.2, 8};

/// `data` and `weights` are bytes, `batch` is bytes of activations for a sample of a step.
void set_memory(Workload* w, const MemoryShares& shares, double data, double weights,
                double batch) {
  w->host_bytes = shares.program + shares.data * data;
  w->state_bytes = shares.weights * weights;
  w->batch_bytes = shares.batch * batch;
}

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
  double figure_or(const char* name, double otherwise) const {
    const auto found = run_.figures.find(name);
    return found == run_.figures.end() ? otherwise : found->second;
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
}

/// Workload of robe-compress: layers over all samples, and a block of the array for each field,
/// read and stepped.
Workload robe_workload(const RunRecord& run, const Facts& facts) {
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
  add_optimizer(&w, dense);
  const double columns = facts.figure("columns");
  // The array has no gradient of its own: weights and one state.
  set_memory(&w, kRobeMemory, kFloat * columns * facts.figure("samples"), kFloat * dense,
             columns * rows_bytes);
  w.state_bytes += 2 * kFloat * facts.figure("embedding_parameters");
  return w;
}

/// Distinct nodes of a mini-batch after each hop, from its seeds on. The log has their number after
/// the last hop. Those between follow from draws out of so many nodes that this number comes out:
/// d draws from n nodes have n (1 - e^(-d/n)) distinct ones.
std::vector<double> hop_nodes(double seeds, const std::vector<double>& fanouts, double last) {
  const auto all_hops = [&](double population) {
    std::vector<double> nodes{std::min(seeds, population)};
    for (const double fanout : fanouts) {
      const double draws = nodes.back() * (1 + fanout);
      nodes.push_back(-population * std::expm1(-draws / population));
    }
    return nodes;
  };
  double low = last, high = 1e15;
  constexpr int kHalvings = 100;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = std::sqrt(low * high);
    (all_hops(middle).back() < last ? low : high) = middle;
  }
  return all_hops(high);
}

/// Neighbours that a node has sampled on average: fan-outs beyond the degrees count as degrees.
std::vector<double> mean_fanouts(const std::string& text, double degree) {
  std::vector<double> fanouts;
  for (const std::string_view word : split(text, ',')) {
    const double fanout = parse_number<double>(word).value_or(degree);
    fanouts.push_back(fanout < 0 ? degree : std::min(fanout, degree));
  }
  return fanouts;
}

/// Features of a node: of a sparse row only the numbers that are stored, each with its column.
struct NodeFeatures {
  double width = 0, stored = 0;
  bool sparse() const { return stored < width; }
  double bytes() const { return sparse() ? 2 * kFloat * stored : kFloat * width; }
};

/// The hops of a mini-batch, from its seeds outwards: distinct nodes before each, and neighbours of
/// a node in it. The log has the nodes and the edges of all hops together.
struct Hops {
  std::vector<double> nodes, fanouts;
};

Hops mini_batch_hops(double seeds, std::vector<double> fanouts, double nodes, double edges) {
  Hops hops{hop_nodes(seeds, fanouts, nodes), std::move(fanouts)};
  // Neighbours of nodes that edges lead to are more than the average where degrees vary.
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    double drawn = 0;
    for (std::size_t hop = 0; hop < hops.fanouts.size(); ++hop) {
      drawn += hops.nodes[hop] * hops.fanouts[hop];
    }
    for (double& fanout : hops.fanouts) fanout *= edges / std::max(1.0, drawn);
    hops.nodes = hop_nodes(seeds, hops.fanouts, nodes);
  }
  return hops;
}

/// Sizes of a GNN. The outermost layer has features as inputs and the most rows, the others hidden
/// units; the layer of the seeds has the outputs.
struct GnnSizes {
  NodeFeatures features;
  double hidden = 0, outputs = 0, weights = 0;
};

/// Work of all layers in a mini-batch.
struct GnnLayers {
  double flop = 0, edge_bytes = 0, row_bytes = 0;
};

GnnLayers gnn_layers(const Hops& hops, const GnnSizes& sizes) {
  const std::size_t num_hops = hops.fanouts.size();
  const auto products = [&](std::size_t hop) {
    return (hop + 1 == num_hops ? sizes.features.width : sizes.hidden) *
           (hop == 0 ? sizes.outputs : sizes.hidden);
  };
  double all = 0;
  for (std::size_t hop = 0; hop < num_hops; ++hop) all += products(hop);
  GnnLayers layers;
  for (std::size_t hop = 0; hop < num_hops; ++hop) {
    const bool is_outermost = hop + 1 == num_hops;
    const double nodes = hops.nodes[hop];
    const double weights = sizes.weights * products(hop) / all;
    const double input_bytes = is_outermost ? sizes.features.bytes() : kFloat * sizes.hidden;
    const bool is_sparse = is_outermost && sizes.features.sparse();
    layers.flop += is_sparse ? 0 : kTrainingFlop * nodes * weights;
    layers.edge_bytes += kRowPasses * nodes * hops.fanouts[hop] * input_bytes;
    layers.row_bytes += kLayerPasses * nodes * kFloat * (hop == 0 ? sizes.outputs : sizes.hidden);
  }
  return layers;
}

/// A step samples neighbours, slices their features and runs its layers.
Workload gnn_workload(const RunRecord& run, const Facts& facts) {
  const double seeds = facts.figure("train_seeds");
  const double all = seeds * facts.figure("epochs");
  Workload w = workload_of(run, seeds, facts.batch(seeds));
  const double nodes = facts.figure("sampled_nodes") / all * w.batch;
  const double edges = facts.figure("sampled_edges") / all * w.batch;
  const double width = facts.figure("features"), hidden = facts.option("hidden");
  const NodeFeatures features{width, facts.figure_or("features_per_node", width)};
  const std::vector<double> fanouts =
      mean_fanouts(facts.text("fanouts"), facts.figure("edges") / facts.figure("nodes"));
  Stage& sample = add_stage(&w, "sample");
  sample.sample_rows = edges / w.batch;
  sample.table_bytes = kFloat * facts.figure("edges");
  Stage& slice = add_stage(&w, "slice");
  slice.sample_rows = nodes / w.batch;
  slice.row_bytes = features.bytes();
  slice.table_bytes = slice.row_bytes * facts.figure("nodes");
  const double graph_bytes = sample.table_bytes + slice.table_bytes;
  const double weights = facts.figure("parameters");
  const Hops hops = mini_batch_hops(w.batch, fanouts, std::max(nodes, w.batch), edges);
  const GnnLayers layers =
      gnn_layers(hops, {features, hidden, facts.figure_or("outputs", hidden), weights});
  // Forward and backward, a layer sums a row for each edge.
  Stage& aggregate = add_stage(&w, "aggregate");
  aggregate.row_bytes = std::max(features.bytes(), kFloat * hidden);
  aggregate.sample_rows = layers.edge_bytes / aggregate.row_bytes / w.batch;
  aggregate.table_bytes = nodes * aggregate.row_bytes;
  if (features.sparse()) {
    // Each stored number of a node is a row of the outermost layer's weights.
    Stage& stored = add_stage(&w, "sparse-rows");
    stored.sample_rows = kRowPasses * nodes / w.batch * features.stored;
    stored.row_bytes = kFloat * hidden;
    stored.table_bytes = stored.row_bytes * features.width;
  }
  Stage& rows = add_stage(&w, "rows");
  rows.sample_bytes = layers.row_bytes / w.batch;
  rows.bytes_set = layers.row_bytes / kLayerPasses;
  Stage& train = add_stage(&w, "products");
  train.bf16 = facts.text("precision") != "f32";
  train.sample_flop = layers.flop / w.batch;
  add_optimizer(&w, weights);
  // Validation has the hidden rows of all nodes, in 16 bits where it can.
  constexpr double kInference = 0.7;
  set_memory(&w, kGnnMemory, graph_bytes, kFloat * weights,
             layers.row_bytes / kLayerPasses / w.batch);
  w.host_bytes += kInference * kFloat * hidden * facts.figure("nodes");
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
  add_optimizer(&w, weights);
  set_memory(&w, kTgnMemory, events.table_bytes / 2, kFloat * weights,
             kNodes * (1 + facts.option("neighbors")) * events.row_bytes);
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
  Stage& products = add_stage(&w, "products");
  products.bf16 = facts.text("precision") != "f32";
  products.sample_flop = kTrainingFlop * hidden * active;
  const double labels = facts.figure("labels");
  add_optimizer(&w, hidden * std::min(labels, active));
  constexpr double kFeature = 8;  // number and value
  set_memory(&w, kSparseMemory, kFeature * facts.figure("features_per_example") * examples,
             rows.row_bytes * (facts.figure("features") + labels), rows.row_bytes);
  return w;
}

Workload steps_workload(const RunRecord& run) {
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

/// Adds the rest of the run to its steps: its epochs, its time before them and in validations.
void add_rest(const RunRecord& run, const Facts& facts, Workload* workload) {
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
  add_rest(run, Facts(run), &workload);
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
  const Facts facts(run);
  const double fit = facts.figure("fit_seconds");
  LoggedRun logged;
  if (!run.cpu.empty()) {
    logged.machine =
        run.cpu + ", " + format_count(static_cast<std::uint64_t>(run.threads), "thread");
  }
  const Workload workload = steps_workload(run);
  const double steps = std::ceil(workload.epoch_samples / workload.batch);
  logged.epoch_seconds = steps * fit / facts.steps();
  logged.job_seconds = facts.figure_or("train_seconds", fit);
  return logged;
}

MeasuredRun measured_run(const RunRecord& run) {
  const Facts facts(run);
  // One thread does not wait for others: its CPU time does not contain those that share the CPU.
  const double wall = facts.figure("fit_seconds");
  const double seconds = run.threads == 1 ? facts.figure_or("fit_cpu_seconds", wall) : wall;
  return {run.name, run_workload(run), seconds / facts.steps(),
          facts.figure_or("peak_memory_bytes", 0)};
}

}  // namespace frugal::probe
