#include "tools/gnn-sample/batches/train_batch.h"

#include <algorithm>

#include "tools/gnn-sample/data/neighbor_counts.h"
#include "tools/gnn-sample/network/conv_kinds.h"

namespace frugal::gnn {

namespace {

NeighborSamplerOptions options_of(const BatchMaker::Setup& setup) {
  NeighborSamplerOptions options = sampler_options(setup.sampling, setup.max_seeds, setup.seed);
  options.edge_positions |= setup.edge_weights || setup.edge_features;
  return options;
}

}  // namespace

void BatchMaker::Setup::serve(const GnnOptions& network) {
  degrees = conv_kind(network.kind).reads_degrees;
  edge_weights = wants_block_weights(network);
  edge_features = wants_edge_features(network);
}

BatchMaker::BatchMaker(const StoredGraph& graph, const Setup& setup)
    : graph_(graph),
      setup_(setup),
      factory_(graph, setup.sampling, options_of(setup)),
      samplers_([this] { return factory_.make(); }),
      features_(graph.required_features()) {
  if (!setup.degrees) return;
  if (setup.edge_weights) {
    weighted_degrees_ = weighted_degrees(graph.csr(), graph.weights());
  } else {
    neighbor_counts_ = neighbor_counts(graph.csr());
  }
}

void BatchMaker::draw(TrainBatch& batch) {
  const SeedBatches::Seeds& seeds = batch.links.seeds;
  batch.sample.epoch = seeds.epoch;
  batch.sample.number = seeds.number;
  const SampleSeeds given = sample_seeds(batch.links, setup_.sampling.hide_seed_edges);
  samplers_.with([&](NeighborSampler& s) { s.sample(given, batch.sample); });
}

void BatchMaker::fill(TrainBatch& batch) {
  add_edges(batch);
  if (setup_.labels) {
    batch.labels.assign(graph_.content().node_set(),
                        batch.sample.nodes().first(batch.sample.num_seeds()));
  }
  add_features(batch);
}

/// The blocks with their weights, and the degrees of the nodes.
void BatchMaker::add_edges(TrainBatch& batch) const {
  const MiniBatch& sample = batch.sample;
  batch.blocks.clear();
  for (std::size_t h = sample.num_hops(); h-- > 0;) batch.blocks.push_back(sample.block(h));
  if (setup_.edge_weights) {
    batch.weights.clear();
    const std::uint64_t* const positions = batch.blocks.front().positions;
    for (std::uint64_t e = 0; e < sample.num_edges(); ++e) {
      batch.weights.push_back(graph_.weights()[positions[e]]);
    }
    for (Block& block : batch.blocks) block.weights = batch.weights.data();
  }
  for (Block& block : batch.blocks) {
    if (!setup_.edge_features) break;
    block.edge_features = graph_.edge_features().values.data();
    block.edge_dim = graph_.edge_features().dim;
  }
  batch.degrees.clear();
  batch.weighted_degrees.clear();
  for (const NodeId v : sample.nodes().first(setup_.degrees ? sample.num_nodes() : 0)) {
    if (setup_.edge_weights) {
      batch.weighted_degrees.push_back(weighted_degrees_[v]);
    } else {
      batch.degrees.push_back(neighbor_counts_[v]);
    }
  }
  batch.model.blocks = batch.blocks;
  batch.model.degrees = batch.degrees;
  batch.model.weighted_degrees = batch.weighted_degrees;
}

/// The model reads features in memory where they lie. Those in a mapped file or an array are
/// fetched here, so that the trainer does not wait for them.
void BatchMaker::add_features(TrainBatch& batch) const {
  batch.model.features = features_;
  batch.model.nodes = batch.sample.nodes();
  if (kept_ != nullptr) {
    batch.model.features = kept_->gather(batch.model.nodes, ranks_, batch.gathered);
    batch.model.nodes = {};
    return;
  }
  if (!adds_rows_ || (!graph_.features_are_mapped() && features_.array == nullptr)) return;
  batch.model.nodes = {};
  if (features_.sparse()) {
    batch.sparse_rows.assign(features_, batch.sample.nodes());
    batch.model.features = batch.sparse_rows.view();
    return;
  }
  const RowSlicer slicer(features_);
  batch.model.features = slicer.make_room(batch.sample.num_nodes(), batch.rows);
  slicer.slice(batch.sample.nodes(), batch.rows.data());
}

}  // namespace frugal::gnn
