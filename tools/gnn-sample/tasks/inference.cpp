#include "tools/gnn-sample/tasks/inference.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/batches/batch_rounds.h"
#include "tools/gnn-sample/data/neighbor_counts.h"
#include "tools/gnn-sample/network/conv_kinds.h"
#include "tools/gnn-sample/sampler/fanouts.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kOutputRows = 256;

constexpr std::uint64_t kMaxPieceEdges = 0xffffffff;
/// Bytes of features that are looked up at a time.
constexpr std::size_t kLookedUpBytes = std::size_t{1} << 28;

/// True if blocks of exact inference have weights of edges.
bool reads_weights(const GnnOptions& o) { return wants_block_weights(o) || weighs_draws(o); }

/// Bytes that exact inference of so many nodes and edges takes where all layers of a model are
/// kept: those past a layer and those read at the end twice, those of dense layers, products of
/// sparse features, rows that are looked up, what attention keeps of hops, and layers of edges.
/// Joined rows of kinds that join features are part of rows_per_node but for the features; those of
/// --jumping are not.
std::uint64_t whole_bytes(const GnnModel& model, const StoredGraph& graph, std::uint64_t nodes,
                          std::uint64_t edges) {
  const GnnOptions& o = model.options();
  const ConvKind& kind = conv_kind(o.kind);
  const std::uint64_t heads = std::max(o.heads, o.output_heads);
  const std::uint64_t width =
      o.num_layers * o.hidden * o.heads + o.output_heads * model.num_outputs();
  const std::uint64_t of_edge = kind.copies_edges + (kind.weighs_edges  ? heads
                                                     : reads_weights(o) ? 1
                                                                        : 0);
  const std::uint64_t of_head = o.head_layers > 1 ? (o.head_layers - 1) * o.hidden : 0;
  const bool sparse = graph.features()->sparse(), splits = kind.splits_features && sparse;
  // Hops have rows, parts of logits, weights and an edge each; sparse ones an offset of 8 bytes,
  // the number of its row where rows are stored, columns and values.
  const std::uint64_t of_hops = kind.stored_hops(o) * (width + 2 * heads + 3 + (splits ? 1 : 0)) +
                                (splits ? 2 * (o.hops + 1) : 0);
  const std::uint64_t copies = splits ? 2 * graph.features()->size() : 0;
  const std::uint64_t products = sparse ? o.hidden : 0;
  const std::uint64_t looked_up = graph.features()->array != nullptr ? model.num_features() : 0;
  const std::uint64_t joined = model.joins_features() ? model.num_features() : model.num_joined();
  return (nodes * (kind.rows_per_node * width + of_head + of_hops + products + looked_up +
                   (model.joins_blocks() ? joined : 0)) +
          copies + (nodes + edges) * o.num_layers * of_edge) *
         sizeof(float);
}

/// Numbers that are kept of a node where layers are made one by one.
std::uint64_t kept_numbers(const GnnModel& model) {
  std::uint64_t most = 0, below = 0;
  for (std::size_t l = 0; l + 1 < model.options().num_layers; ++l) {
    const std::uint64_t own = model.block_outputs(l);
    most = std::max(most, below + own);
    below = own;
  }
  return most;
}

}  // namespace

LayerOutputs::LayerOutputs(Dtype dtype, std::size_t nodes, std::size_t dim)
    : dtype_(dtype),
      nodes_(nodes),
      dim_(dim),
      bytes_(nodes * dim * (dtype == Dtype::f32 ? sizeof(float) : sizeof(BFloat16)),
             uninitialized) {}

void LayerOutputs::store(std::size_t first, MatrixView<const float> rows) {
  parallel_for(rows.rows, kOutputRows, [&](std::size_t r) {
    const std::size_t at = (first + r) * dim_;
    if (dtype_ == Dtype::f32) {
      std::memcpy(bytes_.data() + at * sizeof(float), rows.row(r), dim_ * sizeof(float));
      return;
    }
    auto* to = reinterpret_cast<BFloat16*>(bytes_.data()) + at;
    for (std::size_t i = 0; i < dim_; ++i) to[i] = to_bfloat16(rows.row(r)[i]);
  });
}

FeatureView LayerOutputs::view() const { return {dtype_, bytes_.data(), nodes_, dim_, {}}; }

namespace {

/// The outputs of all ranks' mini-batches of a round.
class RoundOutputs {
 public:
  RoundOutputs(Communicator& ranks, std::size_t batch_size, std::size_t outputs)
      : ranks_(ranks),
        outputs_(outputs),
        mine_(batch_size * outputs),
        all_(mine_.size() * static_cast<std::size_t>(ranks.size())) {}

  /// Takes the rows of the `given` seeds, in their order. Nodes that were requested twice are one
  /// seed.
  void take(MatrixView<const float> rows, const MiniBatch& sample, std::size_t given) {
    for (std::size_t i = 0; i < given; ++i) {
      const std::uint32_t seed = sample.seed_place(static_cast<std::uint32_t>(i));
      std::copy_n(rows.row(seed), outputs_, mine_.data() + i * outputs_);
    }
  }
  /// Collective: calls `rows` for the next nodes from `first` on, below `size`. Returns the first
  /// remaining node.
  std::size_t give(std::size_t first, std::size_t size, const OutputRows& rows) {
    ranks_.all_gather(std::as_bytes(std::span(mine_)), std::as_writable_bytes(std::span(all_)));
    const std::size_t end = std::min(size, first + all_.size() / outputs_);
    rows(first, {all_.data(), end - first, outputs_, outputs_});
    return end;
  }

 private:
  Communicator& ranks_;
  std::size_t outputs_;
  std::vector<float> mine_, all_;
};

}  // namespace

Inference::Inference(const StoredGraph& graph, const InferenceOptions& options)
    : graph_(graph), options_(options) {}

void Inference::check_fits(const GnnModel& model) const {
  if (options_.fanouts.empty()) return;
  const std::size_t hops = parse_fanouts(options_.fanouts, options_.fanouts_option).size();
  if (hops == model.options().num_layers) return;
  fail(ExitStatus::usage, options_.fanouts_option, " ", options_.fanouts, " for a model of ",
       model.options().num_layers, " layers, expected as many numbers");
}

void Inference::run(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows) {
  check_fits(model);
  if (options_.fanouts.empty()) {
    run_exactly(model, nodes, rows);
  } else {
    run_sampled(model, nodes, rows);
  }
}

std::uint64_t Inference::exact_bytes(const GnnModel& model, std::size_t num_nodes) const {
  if (!options_.fanouts.empty()) return 0;
  const std::uint64_t n = graph_.num_nodes();
  return (n * kept_numbers(model) + n) * sizeof(float) +
         (model.joins_blocks() ? JoinedRows::bytes(model, num_nodes) : 0);
}

void Inference::run_exactly(const GnnModel& model, std::span<const NodeId> nodes,
                            const OutputRows& rows) {
  const std::uint64_t n = graph_.num_nodes();
  const std::uint64_t hops = n * conv_kind(model.options().kind).stored_hops(model.options());
  if (n + hops + graph_.num_edges() < kMaxPieceEdges) {
    if (nodes.size() <= n / 2 && run_needed(model, nodes, rows)) return;
    if (fits(whole_bytes(model, graph_, n, graph_.num_edges()))) {
      return run_whole(model, nodes, rows);
    }
  }
  const std::uint64_t room = memory_limit();
  const std::uint64_t joined = model.joins_blocks() ? JoinedRows::bytes(model, nodes.size()) : 0;
  const std::uint64_t exact = exact_bytes(model, nodes.size());
  if (exact <= room) return run_by_layers(model, nodes, Dtype::f32, rows);
  const std::uint64_t least = (n * kept_numbers(model) + n) * sizeof(BFloat16) + joined;
  if (least > room) {
    fail(ExitStatus::unavailable, graph_.path(), ": exact inference takes ", format_bytes(least),
         ", ", format_bytes(room), " are left; give --fanouts",
         joined > least / 2 ? " or ask for fewer nodes" : "");
  }
  log_warning(graph_.path(), ": ", format_bytes(room), " of memory are left, ", format_bytes(exact),
              " would be needed: the outputs of layers are rounded to bf16");
  run_by_layers(model, nodes, Dtype::bf16, rows);
}

void Inference::run_by_layers(const GnnModel& model, std::span<const NodeId> nodes, Dtype kept,
                              const OutputRows& rows) {
  const std::size_t layers = model.options().num_layers;
  const std::unique_ptr<GnnRoom> room = model.make_room();
  const bool array = graph_.features()->array != nullptr;
  const std::size_t most = array ? kLookedUpBytes / graph_.features()->row_bytes() : kMaxPieceEdges;
  NeighborhoodChunks chunks(graph_.csr(), edge_data(model), std::min(options_.chunk_edges, most));
  std::optional<JoinedRows> joined;
  if (model.joins_blocks()) joined.emplace(model, *graph_.features(), nodes);
  LayerOutputs below;
  GnnBatch batch;
  const auto next = [&](std::size_t layer) {
    options_.check_stop();
    if (!chunks.next(batch)) return false;
    if (layer == 0) batch.features.read_ahead(batch.nodes);
    if (layer != 0 || !array) return true;
    batch.features = look_up(batch.nodes);
    batch.nodes = {};
    return true;
  };
  batch.features = *graph_.features();
  const auto begin = [&](std::size_t layer, std::span<const NodeId> targets) {
    if (weighs_draws(model.options())) chunks.use_weights(draw_weights(model, layer));
    chunks.begin(targets);
  };
  for (std::size_t l = 0; l + 1 < layers; ++l) {
    LayerOutputs outputs(kept, graph_.num_nodes(), model.block_outputs(l));
    begin(l, {});
    while (next(l)) {
      const MatrixView<const float> made = model.forward_block(l, batch, *room);
      outputs.store(chunks.first(), made);
      if (joined) joined->store(l, chunks.first(), made);
    }
    below = std::move(outputs);
    batch.features = below.view();
  }
  begin(layers - 1, nodes);
  while (next(layers - 1)) {
    MatrixView<const float> outputs = model.forward_block(layers - 1, batch, *room);
    if (joined) {
      const auto targets = nodes.subspan(chunks.first(), outputs.rows);
      outputs = model.forward_joined(joined->complete(targets, outputs), *room);
    }
    rows(chunks.first(), outputs);
  }
}

/// Weights, degrees and features that layers of the model read.
EdgeData Inference::edge_data(const GnnModel& model) {
  if (degrees_.empty()) degrees_ = neighbor_counts(graph_.csr());
  if (wants_edge_features(model.options())) {
    const EdgeFeatures& features = graph_.edge_features();
    return {{}, degrees_, {}, features.values, features.dim};
  }
  if (!wants_block_weights(model.options())) return {{}, degrees_, {}, {}};
  if (weighted_degrees_.empty() && conv_kind(model.options().kind).reads_degrees) {
    weighted_degrees_ = weighted_degrees(graph_.csr(), graph_.weights());
  }
  return {graph_.weights(), degrees_, weighted_degrees_, {}};
}

FeatureView Inference::look_up(std::span<const NodeId> nodes) {
  const RowSlicer slicer(*graph_.features());
  const FeatureView rows = slicer.make_room(nodes.size(), rows_);
  for_each_chunk(nodes.size(), [&](std::size_t begin, std::size_t end) {
    slicer.slice(nodes.subspan(begin, end - begin), rows_.data() + begin * slicer.row_bytes());
  });
  return rows;
}

std::uint64_t Inference::memory_limit() const {
  const std::uint64_t limit = options_.memory != 0 ? options_.memory : memory_available();
  return limit == 0 ? std::numeric_limits<std::uint64_t>::max() : limit;  // 0: unknown
}

/// The room of a run that fitted is kept, so a smaller run fits, too.
bool Inference::fits(std::uint64_t bytes) {
  if (bytes > room_bytes_ && bytes > memory_limit()) return false;
  room_bytes_ = std::max(room_bytes_, bytes);
  return true;
}

/// Computes only what the outputs of these nodes depend on. False: memory is short.
bool Inference::run_needed(const GnnModel& model, std::span<const NodeId> nodes,
                           const OutputRows& rows) {
  const std::size_t layers = model.options().num_layers;
  const EdgeData data = edge_data(model);
  const std::uint64_t own_bytes = WholeNeighborhoods::bytes(graph_.csr(), data);
  if (!needed_ || !needed_->is_for(nodes)) {
    needed_.reset();
    if (own_bytes > memory_limit()) return false;
    needed_.emplace(graph_.csr(), data, nodes, layers);
  }
  const Block& first = needed_->blocks().front();
  if (!fits(own_bytes + whole_bytes(model, graph_, first.sources, first.num_edges()))) {
    needed_.reset();
    return false;
  }
  std::vector<std::uint32_t> degrees;
  std::vector<WeightedDegree> weighted;
  for (const NodeId v : needed_->nodes()) {
    degrees.push_back(data.degrees[v]);
    if (!data.weighted_degrees.empty()) weighted.push_back(data.weighted_degrees[v]);
  }
  std::vector<Block> blocks(needed_->blocks().begin(), needed_->blocks().end());
  std::vector<std::vector<float>> weights;
  for (std::size_t l = 0; weighs_draws(model.options()) && l < layers; ++l) {
    weights.push_back(needed_->edge_numbers(graph_.csr(), draw_weights(model, l)));
    blocks[l].weights = weights.back().data();
  }
  GnnBatch batch;
  batch.blocks = blocks;
  batch.nodes = needed_->nodes();
  batch.degrees = degrees;
  batch.weighted_degrees = weighted;
  const MatrixView<const float> outputs = forward(model, batch);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::uint32_t row = needed_->rows()[i];
    rows(i, outputs.rows_between(row, row + 1));
  }
  return true;
}

/// Computes a batch whose features are those of batch.nodes, or of all nodes if there are none.
MatrixView<const float> Inference::forward(const GnnModel& model, GnnBatch& batch) {
  batch.features = *graph_.features();
  if (batch.features.array != nullptr) {
    std::vector<NodeId> all(batch.nodes.empty() ? graph_.num_nodes() : 0);
    std::iota(all.begin(), all.end(), 0U);
    batch.features = look_up(all.empty() ? batch.nodes : all);
    batch.nodes = {};
  }
  if (room_ == nullptr) room_ = model.make_room();
  return model.forward(batch, {}, *room_);
}

/// The graph is one block, the same in every layer.
void Inference::run_whole(const GnnModel& model, std::span<const NodeId> nodes,
                          const OutputRows& rows) {
  const CsrView csr = graph_.csr();
  if (offsets_.empty()) offsets_.assign(csr.offsets.begin(), csr.offsets.end());
  const EdgeData data = edge_data(model);
  const auto n = static_cast<std::uint32_t>(csr.num_nodes());
  std::vector<Block> blocks(
      model.options().num_layers,
      {n, n, offsets_.data(), csr.neighbors.data(), nullptr,
       data.weights.empty() ? nullptr : data.weights.data(), data.features.data(), data.dim});
  for (std::size_t l = 0; weighs_draws(model.options()) && l < blocks.size(); ++l) {
    blocks[l].weights = draw_weights(model, l).data();
  }
  GnnBatch batch;
  batch.blocks = blocks;
  batch.degrees = data.degrees;
  batch.weighted_degrees = data.weighted_degrees;
  const MatrixView<const float> all = forward(model, batch);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    rows(i, {all.row(nodes[i]), 1, all.cols, all.stride});
  }
}

/// Mini-batch b is that of rank b mod ranks, and the same for any number of them.
void Inference::run_sampled(const GnnModel& model, std::span<const NodeId> nodes,
                            const OutputRows& rows) {
  const std::unique_ptr<Communicator> alone = single_process();
  Communicator& ranks = options_.ranks == nullptr ? *alone : *options_.ranks;
  const auto count = static_cast<std::size_t>(ranks.size());
  const auto me = static_cast<std::size_t>(ranks.rank());
  BatchMaker::Setup setup;
  setup.sampling = drawn_as_trained(model.options(), options_.fanouts);
  setup.max_seeds = options_.batch_size;
  setup.seed = options_.seed;
  setup.serve(model.options());
  setup.labels = false;
  BatchMaker maker(graph_, setup);
  if (options_.kept != nullptr) maker.gather_from(*options_.kept, ranks.size());
  SeedBatchOptions batches;
  batches.batch_size = options_.batch_size;
  batches.shuffle = false;
  batches.shard = {ranks.rank(), ranks.size()};
  SeedBatches seeds({nodes.begin(), nodes.end()}, batches);
  BatchRounds::Source source;
  source.produce = [&](TrainBatch& batch) { return seeds.next(batch.links.seeds); };
  source.prepare = [&](TrainBatch& batch) { maker.make(batch); };
  source.has = [&](std::uint64_t round) { return round * count + me < seeds.per_epoch(); };
  source.end = (seeds.per_epoch() + count - 1) / count;
  std::optional<PackedBatches> packed;
  if (options_.frequent != nullptr) {
    packed.emplace(graph_, maker,
                   PackedBatches::Source{
                       source.produce, [](TrainBatch&) {}, seeds.left(), seeds.per_epoch(), {}},
                   *options_.frequent);
    source.produce = [&](TrainBatch& batch) { return packed->next(batch); };
    source.prepare = [&](TrainBatch& batch) { packed->make(batch); };
  }
  BatchRounds rounds(std::move(source), ranks, options_.kept);
  RoundOutputs outputs(ranks, options_.batch_size, model.num_outputs());
  if (room_ == nullptr) room_ = model.make_room();
  for (std::size_t first = 0; first < nodes.size();) {
    options_.check_stop();
    if (const TrainBatch* batch = rounds.next()) {
      outputs.take(model.forward(batch->model, {}, *room_), batch->sample,
                   batch->links.seeds.nodes.size());
    }
    first = outputs.give(first, nodes.size(), rows);
  }
}

}  // namespace frugal::gnn
