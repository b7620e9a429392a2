#include "tools/hw-probe/model/gnn_workload.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"

namespace frugal::probe {
namespace {

/// Activations, dropout and norms read and write each row of a layer forward and backward.
constexpr double kLayerPasses = 10;
constexpr MemoryShares kGnnMemory{8e6, 2.5, 7, 5};
/// Kernels of a step on a device, and about as many parallel regions on a CPU
/// (tests/bench/results/devices.md), of each layer and beside them.
constexpr double kLayerLaunches = 10, kOtherLaunches = 8;

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
  double low = std::max(1.0, last), high = 1e15;
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
    const bool is_sparse = is_outermost && sizes.features.sparse();
    // Sparse rows are multiplied before they are summed.
    const bool has_features = is_outermost && !is_sparse;
    const double input_bytes = has_features ? sizes.features.bytes() : kFloat * sizes.hidden;
    layers.flop += is_sparse ? 0 : kTrainingFlop * nodes * weights;
    layers.edge_bytes += kRowPasses * nodes * hops.fanouts[hop] * input_bytes;
    layers.row_bytes += kLayerPasses * nodes * kFloat * (hop == 0 ? sizes.outputs : sizes.hidden);
    if (is_sparse) layers.row_bytes += kLayerPasses * hops.nodes.back() * kFloat * sizes.hidden;
  }
  return layers;
}

}  // namespace

Workload gnn_workload(const RunRecord& run, const RunFacts& facts) {
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
  train.launches = kOtherLaunches + kLayerLaunches * static_cast<double>(hops.fanouts.size());
  add_optimizer(&w, weights);
  // Validation has the hidden rows of all nodes, in 16 bits where it can, and the products of all
  // sparse rows.
  const double inference = features.sparse() ? 1.7 : 0.7;
  set_memory(&w, kGnnMemory, graph_bytes, kFloat * weights,
             layers.row_bytes / kLayerPasses / w.batch);
  w.host_bytes += inference * kFloat * hidden * facts.figure("nodes");
  return w;
}

}  // namespace frugal::probe
