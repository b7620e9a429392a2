#include "tools/gnn-sample/tasks/typed_inference.h"

#include <algorithm>
#include <limits>
#include <string>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/kernels/gemm.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "libcore/threading/prepared_queue.h"
#include "tools/gnn-sample/network/conv_kinds.h"

namespace frugal::gnn {

TypedInference::TypedInference(const StoredGraph& graph, const TypePlaces& places,
                               const TypedInputs& inputs, const InferenceOptions& options)
    : graph_(graph), places_(places), inputs_(inputs), options_(options) {}

void TypedInference::check_fits(const TypedModel& model) const {
  if (options_.fanouts.empty()) return;
  const std::size_t given = parse_fanouts(options_.fanouts, options_.fanouts_option).size();
  if (given != model.options().num_layers) {
    fail(ExitStatus::usage, options_.fanouts_option, " '", printable(options_.fanouts), "' has ",
         given, " hops, expected ", model.options().num_layers, ", one for each layer");
  }
}

void TypedInference::run(const TypedModel& model, std::span<const OutputRequest> requests) {
  if (room_ == nullptr) room_ = model.make_room();
  const auto wants_most = [&](const OutputRequest& request) {
    return request.nodes.size() > graph_.content().nodes[places_.nodes[request.type]].size / 2;
  };
  const bool weighs = weighs_draws(model.options());
  if (options_.fanouts.empty() && (weighs || std::ranges::any_of(requests, wants_most))) {
    return run_whole(model, requests);
  }
  for (const OutputRequest& request : requests) {
    if (!request.nodes.empty()) run_sampled(model, request, sampling_for(model, request));
  }
}

/// How neighbourhoods of the nodes are sampled, or taken as a whole.
TypedInference::Sampling TypedInference::sampling_for(const TypedModel& model,
                                                      const OutputRequest& request) const {
  if (options_.fanouts.empty()) {
    // Whole neighbourhoods of these nodes alone are less work, and no larger than the graph. If
    // memory might be short, those of a mini-batch are made at a time.
    std::string every = "-1";
    for (std::size_t l = 1; l < model.options().num_layers; ++l) every += ",-1";
    const std::uint64_t left = memory_available();  // 0: unknown
    const bool fits = left == 0 || whole_bytes(model) <= left;
    const std::size_t at_once = fits ? request.nodes.size() : options_.batch_size;
    return {every, static_cast<std::uint32_t>(at_once)};
  }
  return {options_.fanouts, options_.batch_size};
}

/// Estimate of what a pass over the whole graph takes: rows of all layers, with a norm also before
/// it, products of the sources of each relation, its edges twice and their attention; and the
/// outputs. hgt has rows of queries, keys, values and others, and two products of a source.
std::uint64_t TypedInference::whole_bytes(const TypedModel& model) const {
  const GraphContent& content = graph_.content();
  const GnnOptions& network = model.options();
  const std::size_t heads = std::max(network.heads, network.output_heads);
  const bool attends = conv_kind(network.kind).has_option("--heads");
  const bool transforms = TypedModel::is_transformer(network);
  std::uint64_t rows = 0, edges = 0, attention = 0;
  for (const std::size_t n : places_.nodes) rows += content.nodes[n].size;
  rows *= (transforms ? conv_kind(network.kind).rows_per_node : 1) +
          (network.norm != NormKind::none ? 1 : 0);
  for (const std::size_t e : places_.edges) {
    const EdgeSet& set = content.edges[e];
    edges += set.csr.num_edges() + set.csr.num_nodes();
    rows += (transforms ? 2 : 1) *
            std::min<std::uint64_t>(content.nodes_of(set.source_type).size, set.csr.num_edges());
    if (!attends) continue;
    attention += heads * set.csr.num_edges() + in_place_stride(heads) * set.csr.num_nodes();
  }
  std::uint64_t outputs = content.nodes[places_.nodes[model.schema().seeds]].size;
  if (model.schema().second) outputs += content.nodes[places_.nodes[*model.schema().second]].size;
  return network.num_layers * (rows * network.hidden * heads * sizeof(float) +
                               edges * 2 * sizeof(std::uint32_t) + attention * sizeof(float)) +
         outputs * model.num_outputs() * sizeof(float);
}

/// Each layer reads all edges, of nodes that keep their numbers.
TypedInput TypedInference::whole_graph(const TypedModel& model) {
  const GraphContent& content = graph_.content();
  TypedBlocks blocks;
  for (const std::size_t n : places_.nodes) {
    blocks.targets.push_back(static_cast<std::uint32_t>(content.nodes[n].size));
  }
  blocks.sources = blocks.targets;
  check_memory(graph_.path() + ": exact outputs of the layers for all nodes (" +
                   options_.fanouts_option + " samples neighbourhoods instead)",
               whole_bytes(model));
  const bool first = offsets_.empty();
  for (std::size_t r = 0; r < places_.edges.size(); ++r) {
    const CsrView& csr = content.edges[places_.edges[r]].csr;
    if (csr.num_edges() > std::numeric_limits<std::uint32_t>::max()) {
      fail(ExitStatus::unavailable, graph_.path(), ": a relation has more than 2^32 edges, which ",
           "exact outputs cannot read; give ", options_.fanouts_option);
    }
    if (first) offsets_.emplace_back(csr.offsets.begin(), csr.offsets.end());
    const RelationType& relation = model.schema().relations[r];
    blocks.relations.push_back({blocks.targets[relation.target], blocks.sources[relation.source],
                                offsets_[r].data(), csr.neighbors.data()});
    const std::span<const float> weights = content.edges[places_.edges[r]].weights;
    if (model.options().edge_weights && !weights.empty()) {
      blocks.relations.back().weights = weights.data();
    }
  }
  TypedInput input;
  input.layers.assign(model.options().num_layers, blocks);
  if (weighs_draws(model.options())) weigh_draws(model, input.layers);
  for (std::size_t t = 0; t < places_.nodes.size(); ++t) {
    input.rows.emplace_back(inputs_.rows(t), std::span<const NodeId>());
  }
  return input;
}

/// Sets the weights of edges in each layer of a model whose training drew neighbours by weight.
/// Edges without weights were drawn alike.
void TypedInference::weigh_draws(const TypedModel& model, std::vector<TypedBlocks>& layers) {
  for (std::size_t r = 0; r < places_.edges.size(); ++r) {
    const EdgeSet& edges = graph_.content().edges[places_.edges[r]];
    for (std::size_t l = 0; !edges.weights.empty() && l < layers.size(); ++l) {
      layers[l].relations[r].weights = draw_weights_.of(model.options(), edges, r, l).data();
    }
  }
}

void TypedInference::run_whole(const TypedModel& model, std::span<const OutputRequest> requests) {
  model.forward(whole_graph(model), {}, *room_);
  for (const OutputRequest& request : requests) {
    const MatrixView<const float> all = model.outputs(*room_, request.type);
    for (std::size_t i = 0; i < request.nodes.size(); ++i) {
      request.rows(i, {all.row(request.nodes[i]), 1, all.cols, all.stride});
    }
  }
}

void TypedInference::run_sampled(const TypedModel& model, const OutputRequest& request,
                                 const Sampling& sampling) {
  TypedSchema schema = model.schema();  // whose seeds are the nodes of the request alone
  schema.seeds = request.type;
  schema.second.reset();
  TypedBatchMaker::Setup setup;
  if (!options_.fanouts.empty()) {
    setup.sampling = drawn_as_trained(model.options(), sampling.fanouts);
  }
  setup.sampling.fanouts = sampling.fanouts;
  setup.sampling = only_relations(setup.sampling, graph_, places_);
  setup.max_seeds = sampling.batch_size;
  setup.seed = options_.seed;
  setup.labels = false;
  setup.edge_weights = model.options().edge_weights;
  TypedBatchMaker maker(graph_, schema, places_, inputs_, setup);
  SeedBatchOptions batches;
  batches.batch_size = sampling.batch_size;
  batches.shuffle = false;
  SeedBatches seeds({request.nodes.begin(), request.nodes.end()}, batches);
  PreparedQueue<TypedBatch> queue(static_cast<std::size_t>(num_threads()) + 1);
  queue.produce = [&](TypedBatch& batch) { return seeds.next(batch.links.seeds); };
  queue.prepare = [&](TypedBatch& batch) { maker.make(batch); };
  std::size_t first = 0;
  while (const TypedBatch* const batch = queue.next()) {
    options_.check_stop();
    model.forward(batch->input, {}, *room_);
    const MatrixView<const float> outputs = model.outputs(*room_, request.type);
    const auto count = static_cast<std::uint32_t>(batch->links.seeds.nodes.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t place = batch->sample.seed_place(i);
      request.rows(first + i, outputs.rows_between(place, place + 1));
    }
    first += count;
  }
}

}  // namespace frugal::gnn
