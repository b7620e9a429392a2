/// "gnn.train": whole steps of gnn-sample's networks (engine_kinds.md).
#include <algorithm>

#include "libcore/device/cuda/engines/batch_slots.h"
#include "libcore/device/cuda/engines/gnn/gnn_features.h"
#include "libcore/device/cuda/engines/gnn/gnn_layers.h"

namespace frugal::cuda {
namespace {

using GnnSlot = PackedSlot<GnnArrays>;

/// A batch whose step is under way.
struct GnnStep {
  const GnnArrays& arrays;
  GnnSizes sizes;
  GnnFacts facts;
  const std::uint64_t* keys;  ///< of dropout: of each layer, of the features, of attention
};

class GnnEngine final : public Engine {
 public:
  GnnEngine(const Settings& settings, Room& room);
  ~GnnEngine() override {
    cudaStreamSynchronize(copies_);
    cudaStreamSynchronize(stream_);
  }

  void submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
              std::size_t n) override;
  void collect(bool wait, frugal_sums& sums) override { batches_.collect(wait, sums); }
  void run(const frugal_array*, std::size_t, const frugal_array*, std::size_t) override {
    throw Failure(FRUGAL_UNSUPPORTED, "gnn.train does not answer, it trains");
  }

 private:
  std::uint64_t step_bytes(const GnnSizes& sizes);
  void make_room(const GnnSizes& sizes);
  void lay_out(Workspace& room, const GnnSizes& sizes);
  GnnCall call_of(const GnnStep& step, std::size_t layer) const;
  void train(const GnnStep& step);
  void forward(const GnnStep& step);
  void find_losses(const GnnStep& step);
  void backward(const GnnStep& step);
  void join(std::size_t layer, bool back, std::uint32_t seeds) const;
  std::uint32_t num_joined() const {
    return features_.dim() + shape_.blocks * layers_.front().width();
  }

  GnnBatchShape shape_;
  std::unique_ptr<ProductLibrary> library_;
  GnnFeatures features_;
  DropoutRate input_dropout_, attention_dropout_;
  bool joins_;
  RuleChoice rule_;
  std::vector<GnnLayer> layers_;
  DeviceArray<RunSums> sums_;

  Stream copies_;
  GnnSizes room_;            ///< what there is room for
  DeviceArray<char> block_;  ///< of what layers have in a step, and:
  EdgeSorter sorter_;
  float *rows_ = nullptr, *joined_ = nullptr, *djoined_ = nullptr, *slopes_ = nullptr;
  double* losses_ = nullptr;
  BatchSlots<GnnSlot> batches_;
};

GnnEngine::GnnEngine(const Settings& settings, Room& room)
    : shape_(settings),
      library_(ProductLibrary::load(room)),
      features_(settings, GnnSizes::expected(settings, shape_).sources[0], room, arrays_),
      input_dropout_(settings.real("input_dropout")),
      attention_dropout_(settings.real("attention_dropout")),
      joins_(joins_blocks(settings)),
      rule_(rule_from(settings)) {
  const GnnSizes expected = GnnSizes::expected(settings, shape_);
  layers_ = make_gnn_layers(settings, {products_from(settings), rule_,
                                       settings.flag("decay_first_only"), expected, room, arrays_});
  sums_ = room.take<RunSums>(1);
  if (room.counts_only()) {
    room.take<char>(step_bytes(expected));
    return;
  }
  stream_.zero(sums_.data(), sizeof(RunSums));
  for (GnnSlot& slot : batches_) slot.sums = PinnedArray<RunSums>(1);
}

void GnnEngine::lay_out(Workspace& room, const GnnSizes& sizes) {
  std::uint64_t edges = 0;
  for (std::uint32_t k = 0; k < shape_.blocks; ++k) {
    edges = std::max(edges, std::uint64_t{sizes.edges[k]} + sizes.targets[k]);
  }
  sorter_.lay_out(room, edges, sizes.sources[0]);
  rows_ = room.take<float>(std::uint64_t{sizes.sources[0]} * features_.dim());
  const std::uint32_t seeds = sizes.targets[shape_.blocks - 1];
  if (joins_) {
    joined_ = room.take<float>(std::uint64_t{seeds} * num_joined());
    djoined_ = room.take<float>(std::uint64_t{seeds} * num_joined());
  }
  slopes_ = room.take<float>(sizes.pairs);
  losses_ = room.take<double>(std::max(seeds, sizes.pairs));
  for (GnnLayer& layer : layers_) layer.lay_out(room, sizes);
}

/// Bytes of the workspace and of three batches in flight.
std::uint64_t GnnEngine::step_bytes(const GnnSizes& sizes) {
  Workspace work(nullptr), batch(nullptr);
  lay_out(work, sizes);
  GnnArrays().lay_out(batch, sizes, shape_);
  return work.bytes() + 3 * batch.bytes();
}

void GnnEngine::make_room(const GnnSizes& sizes) {
  if (sizes.fits(room_) && block_.size() != 0) return;
  copies_.wait();
  stream_.wait();
  room_.grow(sizes);
  block_ = {};
  block_ = zeros_for([&](Workspace& work) { lay_out(work, room_); }, stream_);
  for (GnnSlot& slot : batches_) {
    slot.make_room([&](Workspace& batch, GnnArrays& to) { to.lay_out(batch, room_, shape_); });
  }
}

void GnnEngine::submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
                       std::size_t n) {
  if (num_numbers != 2) throw Failure(FRUGAL_BAD_ARGUMENT, "a step takes a rate and an epsilon");
  const GnnSizes sizes = GnnSizes::of(batch, n, shape_);
  make_room(sizes);
  GnnSlot& slot = batches_.next();
  const GnnFacts facts = fill_gnn_batch(batch, n, shape_, sizes, slot.host);
  const auto rate = static_cast<float>(numbers[0]);
  *slot.host.values = {sizes.targets[shape_.blocks - 1], rate, rate, static_cast<float>(numbers[1]),
                       0};
  const std::size_t keys = 2 * layers_.size() + 1;
  const auto* key =
      static_cast<const std::uint64_t*>(batch_array(batch, n, "keys", FRUGAL_U64, keys).data);
  slot.send(copies_, stream_);
  train({slot.device, sizes, facts, key});
  stream_.copy(slot.sums.data(), sums_.data(), 1);
  batches_.submitted(slot, stream_);
}

GnnCall GnnEngine::call_of(const GnnStep& step, std::size_t layer) const {
  const GnnLayerShape& shape = layers_[layer].shape();
  MessageBlock block = step.arrays.block(step.sizes, shape.block);
  if (shape.dense) block.sources = block.targets;
  const float* x = shape.reads_joined ? joined_ : layer == 0 ? rows_ : layers_[layer - 1].output();
  const std::uint64_t key = step.keys[layers_.size() + 1 + layer];
  const std::uint32_t* sources = step.arrays.sources + shape.block;
  const std::uint32_t* targets = step.arrays.targets + shape.block;
  return {block,
          targets,
          shape.dense ? targets : sources,
          {x, shape.in, shape.in},
          step.arrays.degrees,
          attention_dropout_.with(key),
          &sorter_,
          library_.get(),
          stream_};
}

void GnnEngine::train(const GnnStep& step) {
  forward(step);
  find_losses(step);
  backward(step);
  StepList steps;
  for (const GnnLayer& layer : layers_) layer.step(step.arrays.values, steps);
  steps.run(rule_, stream_);
}

void GnnEngine::forward(const GnnStep& step) {
  features_.gather(step.arrays, step.sizes.sources[0],
                   input_dropout_.with(step.keys[layers_.size()]), rows_, stream_);
  const std::uint32_t seeds = step.sizes.targets[shape_.blocks - 1];
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    if (layers_[l].shape().reads_joined) {
      launch(move_rows, grid_of_rows(seeds), block_of_rows(), stream_, seeds, features_.dim(),
             false, static_cast<const float*>(rows_), features_.dim(), joined_, num_joined());
      for (std::size_t below = 0; below < shape_.blocks; ++below) join(below, false, seeds);
    }
    layers_[l].forward(call_of(step, l), step.keys[l]);
  }
}

/// The seeds' rows of a layer to their place among all layers', or the gradients of these back.
void GnnEngine::join(std::size_t layer, bool back, std::uint32_t seeds) const {
  const GnnLayer& l = layers_[layer];
  const std::uint64_t column = features_.dim() + layer * l.width();
  const dim3 grid = grid_of_rows(seeds);
  if (back) {
    launch(move_rows, grid, block_of_rows(), stream_, seeds, l.width(), true,
           static_cast<const float*>(djoined_ + column), num_joined(), l.gradient(), l.width());
  } else {
    launch(move_rows, grid, block_of_rows(), stream_, seeds, l.width(), false, l.output(),
           l.width(), joined_ + column, num_joined());
  }
}

void GnnEngine::find_losses(const GnnStep& step) {
  const std::uint32_t seeds = step.sizes.targets[shape_.blocks - 1];
  const GnnLayer& last = layers_.back();
  NodeLoss loss{seeds, last.width(), last.output(), last.gradient(), losses_, 0, 0};
  // A batch's loss is a mean and counts for all seeds.
  const auto mean_over = [&](std::uint64_t count) {
    loss.share = count == 0 ? 0 : static_cast<float>(1 / static_cast<double>(count));
    loss.weight = count == 0 ? 0 : static_cast<double>(seeds) / static_cast<double>(count);
  };
  const dim3 grid = grid_of_rows(seeds);
  std::uint32_t rows = seeds;
  if (shape_.loss == GnnLoss::classes) {
    mean_over(step.facts.labelled);
    launch(class_losses, grid, block_of_rows(), stream_, loss,
           static_cast<const std::int32_t*>(step.arrays.labels));
  } else if (shape_.loss == GnnLoss::labels) {
    mean_over(std::uint64_t{seeds} * shape_.classes);
    launch(label_losses, grid, block_of_rows(), stream_, loss,
           static_cast<const std::uint8_t*>(step.arrays.label_rows));
  } else {
    const RowPairs pairs{step.sizes.pairs, step.facts.links, step.arrays.sides,
                         step.arrays.pair_offsets, step.arrays.pair_entries};
    rows = pairs.pairs;
    mean_over(pairs.pairs);
    launch(row_pair_losses, grid_of_rows(rows), block_of_rows(), stream_, loss, pairs, slopes_);
    launch(pair_gradients, grid, block_of_rows(), stream_, loss, pairs,
           static_cast<const float*>(slopes_));
  }
  launch(add_batch_losses, dim3(1), dim3(kThreads), stream_, rows, seeds,
         static_cast<const double*>(losses_), sums_.data());
}

void GnnEngine::backward(const GnnStep& step) {
  const std::uint32_t seeds = step.sizes.targets[shape_.blocks - 1];
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const GnnLayerShape& shape = layers_[l].shape();
    if (shape.residual) join(l, true, seeds);
    float* below = l == 0 ? nullptr : layers_[l - 1].gradient();
    layers_[l].backward(call_of(step, l), step.keys[l], shape.reads_joined ? djoined_ : below);
    if (!shape.reads_joined) continue;
    stream_.zero(below, std::uint64_t{seeds} * layers_[l - 1].width() * sizeof(float));
  }
}

}  // namespace

std::unique_ptr<Engine> make_gnn_training(const Settings& settings, Room& room) {
  return std::make_unique<GnnEngine>(settings, room);
}

}  // namespace frugal::cuda
