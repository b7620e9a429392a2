/// "tgn.train" and "tgn.eval": whole steps of tgn-train (engine_kinds.md).
#include <array>
#include <map>
#include <vector>

#include "libcore/device/cuda/engines/batch_slots.h"
#include "libcore/device/cuda/engines/tgn/tgn_decoder.h"
#include "libcore/device/cuda/engines/tgn/tgn_layers.h"

namespace frugal::cuda {
namespace {

/// Work of a step.
enum class Pass : std::uint32_t { embed, embed_and_store, train };

/// Key of a graph: its pass, its levels, and the rows that a library makes products of.
using GraphKey = std::array<std::uint32_t, 3 + kMostTgnLayers>;
/// Most graphs of a slot; with more all are made anew.
constexpr std::size_t kMostGraphs = 64;

/// A plan in pinned memory and on the device.
struct PlanSlot : PackedSlot<PlanArrays> {
  std::map<GraphKey, StepGraph> graphs;
};

/// Rows of numbers that stay as they are stored.
class StoredArray {
 public:
  StoredArray() = default;
  /// type: "f32" or "bf16".
  StoredArray(const std::string& name, const std::string& type, std::uint64_t rows,
              std::uint32_t dim, Room& room, NamedArrays& arrays)
      : half_(type == "bf16"), dim_(dim) {
    if (!half_ && type != "f32") {
      throw Failure(FRUGAL_UNSUPPORTED, "it has no '" + name + "' of type " + type);
    }
    bytes_ = room.take<char>(rows * dim * (half_ ? 2 : 4));
    arrays.add(name, {bytes_.data(), half_ ? FRUGAL_BF16 : FRUGAL_F32, rows * dim});
  }
  void* data() const { return bytes_.data(); }
  bool half() const { return half_; }
  StoredRows rows() const { return {bytes_.data(), dim_, half_}; }

 private:
  bool half_ = false;
  std::uint32_t dim_ = 0;
  DeviceArray<char> bytes_;
};

class TgnEngine final : public Engine {
 public:
  TgnEngine(const Settings& settings, bool training, Room& room);
  ~TgnEngine() override {
    cudaStreamSynchronize(copies_);
    cudaStreamSynchronize(stream_);
  }

  void submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
              std::size_t n) override;
  void collect(bool wait, frugal_sums& sums) override { batches_.collect(wait, sums); }
  void run(const frugal_array* batch, std::size_t n, const frugal_array* answers,
           std::size_t num_answers) override;

 private:
  void make_parts(const Settings& settings, Room& room);
  std::uint64_t plan_bytes(const PlanSizes& sizes);
  void make_room(const PlanSizes& sizes);
  void lay_out(Workspace& room, const PlanSizes& sizes);
  std::uint32_t bring(const frugal_array* batch, std::size_t n, PlanSlot** slot);
  StepGraph& graph_of(PlanSlot& slot, Pass pass, std::uint32_t levels);
  void go(PlanSlot& slot, Pass pass, std::uint32_t levels);
  void embed(const TgnStep& step, std::uint32_t levels);
  void store(const TgnStep& step, const StepLosses& losses);
  void train(const TgnStep& step);
  MemoryRows memory() const {
    return {state_.data(),   message_.data(), shape_.dim,
            shape_.kept_dim, state_.half(),   shape_.made};
  }
  TgnLayerCall call_of(const TgnStep& step, std::uint32_t layer) const {
    const float* lowest = shape_.node_features ? base_ : rows_;
    return {step, layer, layer == 0 ? lowest : outputs_[layer - 1], time_};
  }

  TgnShape shape_;
  bool training_;
  RuleChoice rule_;
  std::uint32_t layer_sources_ = 0;  ///< of gradients of the time encodings
  Keep keep_{};                      ///< of training
  StoredArray state_, message_, edges_, nodes_;
  DeviceTime time_;
  std::vector<TgnUpdater> updater_;  ///< none or one
  std::vector<std::unique_ptr<TgnLayer>> layers_;
  std::vector<TgnDecoder> decoder_;  ///< none or, where it trains, one
  DeviceArray<RunSums> sums_;

  Stream copies_;
  std::unique_ptr<ProductLibrary> library_;  ///< null: none, or no batches for it
  PlanSizes room_;                           ///< what there is room for
  PlanSizes rows_of_step_;                   ///< of the step that the stream is given
  DeviceArray<char> block_;                  ///< of rows_ and all that layers have in a step
  float *rows_ = nullptr, *base_ = nullptr, *kept_ = nullptr;  ///< slots; with features; messages
  std::vector<float*> outputs_;                                ///< of each layer
  std::vector<float*> gradients_;  ///< of what is below each layer, then of the last one's output
  BatchSlots<PlanSlot> batches_;
  PlanSlot* last_run_ = nullptr;
};

TgnEngine::TgnEngine(const Settings& settings, bool training, Room& room)
    : shape_(settings),
      training_(training),
      state_("memory.state", settings.text("memory_type"), shape_.memory ? shape_.nodes : 0,
             shape_.dim, room, arrays_),
      message_("memory.message", settings.text("memory_type"), shape_.memory ? shape_.nodes : 0,
               shape_.kept_dim, room, arrays_),
      edges_("edges.features", settings.text("edge_type"), shape_.events, shape_.edge_dim, room,
             arrays_),
      nodes_("nodes.features", settings.text("node_type"), shape_.node_features ? shape_.nodes : 0,
             shape_.dim, room, arrays_),
      time_(shape_.time_dim, room) {
  make_parts(settings, room);
  sums_ = room.take<RunSums>(1);
  if (!room.counts_only()) stream_.zero(sums_.data(), sizeof(RunSums));
  if (training) {
    const float share = settings.real("dropout");
    keep_ = {nullptr, static_cast<std::uint32_t>(static_cast<double>(share) * 0x1p32),
             1 / (1 - share)};
  }
  const PlanSizes expected = PlanSizes::expected(shape_);
  if (library_rows(expected.queries[0]) != 0) library_ = ProductLibrary::load(room);
  if (room.counts_only()) {
    room.take<char>(plan_bytes(expected));
    return;
  }
  for (PlanSlot& slot : batches_) slot.sums = PinnedArray<RunSums>(1);
}

void TgnEngine::make_parts(const Settings& settings, Room& room) {
  if (training_) rule_ = rule_from(settings);
  const TgnParts parts{shape_, products_from(settings), training_ ? &rule_ : nullptr, room,
                       arrays_};
  const std::string embedding = settings.text("embedding");
  if (shape_.memory) updater_.emplace_back(parts);
  for (std::uint32_t k = 0; k < shape_.layers; ++k) {
    layers_.push_back(make_tgn_layer(embedding, parts, k));
  }
  outputs_.resize(shape_.layers);
  gradients_.resize(shape_.layers + 1);
  const bool layers_use_time = embedding == "sum" || embedding == "attention";
  layer_sources_ = layers_use_time ? kTimeSourcesOfLayer * shape_.layers : 0;
  if (training_) {
    decoder_.emplace_back(parts);
    const std::uint32_t sources = layer_sources_ + (shape_.message_time ? 1 : 0);
    time_.prepare_training(rule_, sources, shape_.train_time && sources != 0, room);
  }
  time_.name("time_encoder.w", arrays_);
}

void TgnEngine::lay_out(Workspace& room, const PlanSizes& sizes) {
  const std::uint64_t dim = shape_.dim;
  rows_ = room.take<float>(sizes.slots * dim);
  base_ = room.take<float>(shape_.node_features ? sizes.slots * dim : 0);
  kept_ = room.take<float>(shape_.made ? std::uint64_t{sizes.updates} * shape_.kept_dim : 0);
  for (TgnUpdater& updater : updater_) updater.lay_out(room, sizes, training_);
  for (std::uint32_t k = 0; k < shape_.layers; ++k) {
    layers_[k]->lay_out(room, sizes);
    outputs_[k] = room.take<float>(sizes.queries[k] * dim);
    if (training_) gradients_[k] = room.take<float>(sizes.below[k] * dim);
  }
  const std::uint32_t answers = sizes.queries[shape_.layers - 1];
  if (training_) gradients_.back() = room.take<float>(answers * dim);
  for (TgnDecoder& decoder : decoder_) decoder.lay_out(room, answers);
}

/// Bytes of the workspace and of three plans in flight.
std::uint64_t TgnEngine::plan_bytes(const PlanSizes& sizes) {
  Workspace work(nullptr), plan(nullptr);
  lay_out(work, sizes);
  PlanArrays().lay_out(plan, sizes, shape_);
  return work.bytes() + 3 * plan.bytes();
}

void TgnEngine::make_room(const PlanSizes& sizes) {
  if (sizes.fits(room_) && block_.size() != 0) return;
  copies_.wait();
  stream_.wait();
  room_.grow(sizes);
  block_ = {};
  // Numbers behind the last row of a matrix are multiplied with zeros.
  block_ = zeros_for([&](Workspace& work) { lay_out(work, room_); }, stream_);
  for (PlanSlot& slot : batches_) {
    slot.graphs.clear();
    slot.make_room([&](Workspace& plan, PlanArrays& to) { to.lay_out(plan, room_, shape_); });
  }
  last_run_ = nullptr;
}

/// Copies a plan to its place in pinned memory; returns the levels that its step goes through.
std::uint32_t TgnEngine::bring(const frugal_array* batch, std::size_t n, PlanSlot** slot) {
  const PlanSizes sizes = PlanSizes::of(batch, n, shape_);
  make_room(library_ == nullptr ? sizes : sizes.padded(sizes));
  rows_of_step_ = library_ == nullptr ? room_ : sizes.padded(room_);
  *slot = &batches_.next();
  const std::uint32_t levels = sizes.updates == 0 ? 0 : level_class(sizes.levels);
  fill_plan(batch, n, shape_, sizes, levels, (*slot)->host);
  return levels;
}

StepGraph& TgnEngine::graph_of(PlanSlot& slot, Pass pass, std::uint32_t levels) {
  GraphKey key{static_cast<std::uint32_t>(pass), levels};
  for (std::uint32_t k = 0; k <= kMostTgnLayers; ++k) {
    if ((rows_of_step_.exact >> k & 1) == 0) continue;
    key[2 + k] = k == kMostTgnLayers ? rows_of_step_.updates : rows_of_step_.queries[k];
  }
  if (slot.graphs.size() >= kMostGraphs && slot.graphs.count(key) == 0) {
    stream_.wait();
    slot.graphs.clear();
  }
  return slot.graphs[key];
}

/// Sends the plan and runs its step.
void TgnEngine::go(PlanSlot& slot, Pass pass, std::uint32_t levels) {
  slot.send(copies_, stream_);
  const Keep keep = pass == Pass::train ? keep_ : Keep{};
  graph_of(slot, pass, levels).launch(stream_, [&] {
    LateGradients late(stream_);
    const TgnStep step{slot.device, rows_of_step_, edges_.rows(), keep,
                       stream_,     &late,         library_.get()};
    embed(step, levels);
    if (pass == Pass::embed_and_store) store(step, {});
    if (pass == Pass::train) train(step);
    stream_.copy(slot.sums.data(), sums_.data(), 1);
  });
  batches_.submitted(slot, stream_);
}

void TgnEngine::submit(const double* numbers, std::size_t num_numbers, const frugal_array* batch,
                       std::size_t n) {
  if (!training_ || num_numbers != 4 + shape_.layers) {
    throw Failure(FRUGAL_BAD_ARGUMENT,
                  "a step takes two rates with their epsilons, and a key of each layer");
  }
  PlanSlot* slot = nullptr;
  const std::uint32_t levels = bring(batch, n, &slot);
  PlanCounts& counts = *slot->host.counts;
  const std::uint32_t queries = counts.queries[shape_.layers - 1];
  if (queries % 3 != 0) {
    throw Failure(FRUGAL_BAD_ARGUMENT, std::to_string(queries) + " queries, expected triples");
  }
  counts.events = queries / 3;
  counts.pairs = 2 * counts.events;
  const auto values = [&](std::size_t at, bool frozen) {
    return StepValues{counts.events, 0, static_cast<float>(numbers[at]),
                      static_cast<float>(numbers[at + 1]), frozen ? 1U : 0U};
  };
  counts.network = values(0, false);
  counts.updater = values(2, counts.updates == 0);
  for (std::uint32_t k = 0; k < shape_.layers; ++k) {
    counts.keys[k] = static_cast<std::uint32_t>(numbers[4 + k]);
  }
  go(*slot, queries == 0 ? Pass::embed_and_store : Pass::train, levels);
}

void TgnEngine::run(const frugal_array* batch, std::size_t n, const frugal_array* answers,
                    std::size_t num_answers) {
  if (has_array(batch, n, "store")) {
    if (last_run_ == nullptr) throw Failure(FRUGAL_BAD_ARGUMENT, "no plan was run before");
    store({last_run_->device, room_, edges_.rows(), {}, stream_, nullptr, nullptr}, {});
    // Its place is the next but two's.
    batches_.submitted(*last_run_, stream_);
    return;
  }
  PlanSlot* slot = nullptr;
  const std::uint32_t levels = bring(batch, n, &slot);
  const std::uint64_t numbers =
      std::uint64_t{slot->host.counts->queries[shape_.layers - 1]} * shape_.dim;
  go(*slot, Pass::embed, levels);
  last_run_ = slot;
  if (num_answers != 0) {
    const frugal_array& out = batch_array(answers, num_answers, "embeddings", FRUGAL_F32, numbers);
    stream_.copy(static_cast<float*>(out.data), outputs_.back(), numbers);
  }
  stream_.wait();
}

void TgnEngine::embed(const TgnStep& step, std::uint32_t levels) {
  const PlanCounts* counts = step.plan.counts;
  StepBeginning beginning{memory(), &counts->loads,   step.plan.loads, rows_, kept_, 0,
                          {},       {step.room.loads}};
  for (std::uint32_t k = 0; k < shape_.layers; ++k) layers_[k]->begin(call_of(step, k), beginning);
  launch(begin_step, grid_of_rows(beginning.ends[beginning.num_times]), block_of_rows(), stream_,
         beginning);
  for (TgnUpdater& updater : updater_) {
    updater.forward(step, time_, levels, shape_.made ? kept_ : nullptr, rows_);
  }
  if (shape_.node_features) {
    launch(add_node_features, grid_of_rows(step.room.slots), block_of_rows(), stream_,
           &counts->slots, step.plan.slots, nodes_.rows(), static_cast<const float*>(rows_), base_);
  }
  for (std::uint32_t k = 0; k < shape_.layers; ++k) {
    layers_[k]->forward(call_of(step, k), outputs_[k]);
  }
}

/// Stores the rows of memory that a step changes, and adds its losses to the sums.
void TgnEngine::store(const TgnStep& step, const StepLosses& losses) {
  const PlanArrays& plan = step.plan;
  const std::uint64_t rows = shape_.memory ? room_.stores : 0;
  launch(
      store_memory, dim3(grid_of_rows(rows).x + 1), block_of_rows(), stream_, memory(),
      &plan.counts->stores, plan.stores,
      SentMessages{plan.messages, plan.messages_dt, rows_, step.edges, time_.weights(), shape_.dim},
      losses);
}

void TgnEngine::train(const TgnStep& step) {
  decoder_[0].train(step, outputs_.back(), gradients_.back());
  // Messages are kept as the step's parameters make them, not those behind it.
  store(step, {&step.plan.counts->network, decoder_[0].losses(), sums_.data()});
  for (std::uint32_t k = shape_.layers; k-- > 0;) {
    layers_[k]->backward(call_of(step, k), gradients_[k + 1], gradients_[k]);
  }
  const DeviceTime* learning = shape_.message_time ? &time_ : nullptr;
  const StepValues* network = &step.plan.counts->network;
  for (TgnUpdater& updater : updater_) {
    updater.backward(step, gradients_[0], learning, layer_sources_);
  }
  step.late->run();
  StepList steps;
  for (const TgnUpdater& updater : updater_) {
    updater.take_step(&step.plan.counts->updater, steps);
  }
  decoder_[0].take_step(network, steps);
  for (const auto& layer : layers_) layer->take_step(network, steps);
  time_.step(network, steps);
  steps.run(rule_, stream_);
}

}  // namespace

std::unique_ptr<Engine> make_tgn_training(const Settings& settings, Room& room) {
  return std::make_unique<TgnEngine>(settings, true, room);
}
std::unique_ptr<Engine> make_tgn_evaluation(const Settings& settings, Room& room) {
  return std::make_unique<TgnEngine>(settings, false, room);
}

}  // namespace frugal::cuda
