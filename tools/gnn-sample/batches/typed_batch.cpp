#include "tools/gnn-sample/batches/typed_batch.h"

#include <algorithm>

#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

NeighborSamplerOptions options_of(const TypedBatchMaker::Setup& setup) {
  NeighborSamplerOptions options = sampler_options(setup.sampling, setup.max_seeds, setup.seed);
  options.edge_positions |= setup.edge_weights;
  return options;
}

}  // namespace

TypedBatchMaker::TypedBatchMaker(const StoredGraph& graph, const TypedSchema& schema,
                                 const TypePlaces& places, const TypedInputs& inputs,
                                 const Setup& setup)
    : graph_(graph),
      schema_(schema),
      places_(places),
      inputs_(inputs),
      labels_(setup.labels),
      hides_(!setup.hidden.empty()),
      edge_weights_(setup.edge_weights),
      factory_(graph, setup.sampling, options_of(setup), places.nodes[schema.seeds]),
      samplers_([this] { return factory_.make(); }) {
  const auto second = schema.second ? std::optional(places.nodes[*schema.second]) : std::nullopt;
  factory_.serve_links(second, setup.hidden);
  const std::vector<std::size_t> followed = factory_.edge_types();
  for (const std::size_t edges : places.edges) {
    const auto at = std::find(followed.begin(), followed.end(), edges);
    edge_types_.push_back(static_cast<std::size_t>(at - followed.begin()));
  }
}

void TypedBatchMaker::make(TypedBatch& batch) {
  MiniBatch& sample = batch.sample;
  sample.epoch = batch.links.seeds.epoch;
  sample.number = batch.links.seeds.number;
  const SampleSeeds given = sample_seeds(batch.links, hides_);
  samplers_.with([&](NeighborSampler& s) { s.sample(given, sample); });
  const NodeSet& seeds = graph_.content().nodes[sample.seed_type()];
  if (labels_) {
    batch.labels.assign(seeds, sample.nodes(sample.seed_type()).first(sample.num_seeds()));
  }
  TypedInput& input = batch.input;
  input.layers.clear();
  for (std::size_t hop = sample.num_hops(); hop-- > 0;) {
    TypedBlocks& blocks = input.layers.emplace_back();
    for (const std::size_t edges : edge_types_) {
      blocks.relations.push_back(sample.block(hop, edges));
    }
    for (const std::size_t nodes : places_.nodes) {
      blocks.targets.push_back(sample.nodes_behind(hop, nodes));
      blocks.sources.push_back(sample.nodes_behind(hop + 1, nodes));
    }
  }
  if (edge_weights_) add_weights(batch);
  input.rows.clear();
  for (std::size_t t = 0; t < schema_.nodes.size(); ++t) {
    input.rows.emplace_back(inputs_.rows(t), sample.nodes(places_.nodes[t]));
  }
}

/// Writes the weights of the sampled edges, at the indices of their neighbours.
void TypedBatchMaker::add_weights(TypedBatch& batch) const {
  batch.weights.resize(places_.edges.size());
  for (std::size_t r = 0; r < places_.edges.size(); ++r) {
    const std::span<const float> weights = graph_.content().edges[places_.edges[r]].weights;
    if (weights.empty()) continue;
    std::vector<float>& sampled = batch.weights[r];
    std::size_t end = 0;
    for (const TypedBlocks& blocks : batch.input.layers) {
      const Block& block = blocks.relations[r];
      end = std::max<std::size_t>(end, block.offsets[block.targets]);
    }
    sampled.resize(end);
    for (TypedBlocks& blocks : batch.input.layers) {
      Block& block = blocks.relations[r];
      for (std::size_t e = block.offsets[0]; e < block.offsets[block.targets]; ++e) {
        sampled[e] = weights[block.positions[e]];
      }
      block.weights = sampled.data();
    }
  }
}

SamplingOptions only_relations(SamplingOptions options, const StoredGraph& graph,
                               const TypePlaces& places) {
  const std::vector<EdgeSet>& edges = graph.content().edges;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto& known = places.edges;
    if (std::find(known.begin(), known.end(), e) != known.end()) continue;
    options.type_fanouts.push_back(edge_type_name(edges[e]) + "=0");
  }
  return options;
}

}  // namespace frugal::gnn
