#include "tools/gnn-sample/inference.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "libcore/threading/prepared_queue.h"

namespace frugal {
namespace {

constexpr std::uint64_t kMaxEdges = 0xffffffff;

}  // namespace

Inference::Inference(const StoredGraph& graph, const InferenceOptions& options)
    : graph_(graph), options_(options) {}

void Inference::run(const GnnModel& model, std::span<const NodeId> nodes, const OutputRows& rows) {
  if (options_.fanouts.empty()) {
    run_exactly(model, nodes, rows);
  } else {
    run_sampled(model, nodes, rows);
  }
}

/// The graph is one block, the same in every layer.
void Inference::run_exactly(const GnnModel& model, std::span<const NodeId> nodes,
                            const OutputRows& rows) {
  const CsrView csr = graph_.csr();
  if (offsets_.empty()) {
    if (csr.num_edges() >= kMaxEdges) {
      fail(ExitStatus::unavailable, graph_.path(), ": exact inference takes fewer than ", kMaxEdges,
           " edges; give --fanouts");
    }
    const GnnOptions& o = model.options();
    const std::uint64_t width = o.num_layers * o.hidden * o.heads + model.num_outputs();
    check_memory(
        "exact inference for all nodes of " + graph_.path() + " (with --fanouts it takes little)",
        csr.num_nodes() * width * sizeof(float));
    offsets_.assign(csr.offsets.begin(), csr.offsets.end());
    for (NodeId v = 0; v < csr.num_nodes(); ++v) degrees_.push_back(csr.degree(v));
  }
  const auto n = static_cast<std::uint32_t>(csr.num_nodes());
  const std::vector<Block> blocks(model.options().num_layers,
                                  {n, n, offsets_.data(), csr.neighbors.data(), nullptr});
  GnnBatch batch;
  batch.blocks = blocks;
  batch.features = *graph_.features();
  batch.degrees = degrees_;
  if (room_ == nullptr) room_ = model.make_room();
  const MatrixView<const float> all = model.forward(batch, {}, *room_);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    rows(i, {all.row(nodes[i]), 1, all.cols, all.stride});
  }
}

void Inference::run_sampled(const GnnModel& model, std::span<const NodeId> nodes,
                            const OutputRows& rows) {
  BatchMaker::Setup setup;
  setup.sampling.fanouts = options_.fanouts;
  setup.max_seeds = options_.batch_size;
  setup.seed = options_.seed;
  setup.degrees = true;
  setup.labels = false;
  BatchMaker maker(graph_, setup);
  if (maker.num_hops() != model.options().num_layers) {
    fail(ExitStatus::usage, "fanouts ", options_.fanouts, " for a model of ",
         model.options().num_layers, " layers, expected as many numbers");
  }
  SeedBatchOptions batches;
  batches.batch_size = options_.batch_size;
  batches.shuffle = false;
  SeedBatches seeds({nodes.begin(), nodes.end()}, batches);
  PreparedQueue<TrainBatch> queue(static_cast<std::size_t>(num_threads()) + 1);
  queue.produce = [&](TrainBatch& batch) { return seeds.next(batch.links.seeds); };
  queue.prepare = [&](TrainBatch& batch) { maker.make(batch); };
  const std::unique_ptr<GnnRoom> room = model.make_room();
  for (std::size_t first = 0; const TrainBatch* batch = queue.next();) {
    const MatrixView<const float> outputs = model.forward(batch->model, {}, *room);
    rows(first, outputs);
    first += batch->links.seeds.nodes.size();
  }
}

}  // namespace frugal
