#include "tools/tgn-train/memory/stream_session.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/device/registry.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

constexpr char kPastLast[] = "past.last";
constexpr char kPrevious[] = "past.previous";

}  // namespace

void save_past(const StepPlanner::Past& past, std::size_t num_nodes, Document& document) {
  const auto add = [&](const char* name, const Array<EventId>& events) {
    document.tensors.push_back(
        Tensor::copy_of<EventId>(name, {num_nodes}, {events.data(), num_nodes}));
  };
  add(kPastLast, past.last);
  add(kPrevious, past.previous);
}

StepPlanner::Past load_past(const Document& document, const std::string& path,
                            const EventView& events, std::size_t num_nodes, EventId end) {
  const auto load = [&](const char* name) {
    const auto from =
        shaped_tensor(document, path, name, {num_nodes}, dtype_of<EventId>()).as<EventId>();
    Array<EventId> to(events.num_nodes, kNoEvent);
    for (NodeId v = 0; v < num_nodes; ++v) {
      const EventId e = from[v];
      const bool good =
          e == kNoEvent || (e < end && (events.sources[e] == v || events.destinations[e] == v));
      if (!good) {
        fail(ExitStatus::bad_input, path, ": tensor '", name, "': node ", v, " has event ", e,
             ", expected one that it is in");
      }
      to[v] = e;
    }
    return to;
  };
  Array<EventId> last = load(kPastLast);
  return {std::move(last), load(kPrevious)};
}

namespace {

/// Nodes in one step of settle().
constexpr NodeId kSettled = 1024;

bool keeps_messages(const TgnOptions& network, const SessionOptions& o) {
  return o.mode == MemoryMode::window ? o.refresh != RefreshKind::none : !network.is_pyg();
}

NodeMemoryShape memory_shape(const TgnModel& model, std::size_t nodes, const SessionOptions& o) {
  NodeMemoryShape shape;
  shape.nodes = nodes;
  shape.state_dim = model.options().memory_dim;
  if (keeps_messages(model.options(), o)) {
    shape.message_dim = kept_message_dim(model, o.mode == MemoryMode::exact);
  }
  shape.dtype = o.memory_dtype;
  return shape;
}

std::unique_ptr<NodeMemory> make_memory(const TgnModel& model, std::size_t nodes,
                                        const SessionOptions& o) {
  if (!model.options().has_memory()) return nullptr;
  const std::size_t here = o.shards == nullptr ? nodes : o.shards->size();
  return std::make_unique<NodeMemory>(memory_shape(model, here, o), o.place);
}

/// Window mode keeps messages only while it trains.
bool has_messages(Weights weights, const SessionOptions& o) {
  return weights == Weights::learn || o.mode != MemoryMode::window;
}

std::unique_ptr<SharedMemory> make_shared_memory(NodeMemory* memory, const SessionOptions& o) {
  if (memory == nullptr || o.shards == nullptr) return nullptr;
  return std::make_unique<SharedMemory>(*o.shards, *memory);
}

MemoryRecords* records_of(NodeMemory* memory, SharedMemory* shared) {
  return shared != nullptr ? static_cast<MemoryRecords*>(shared) : memory;
}

/// True if a query's embedding depends on its node's memory and neighbours alone: then queries of
/// one node share it until one of these changes.
bool has_timeless_rows(const TgnOptions& network) {
  if (network.hops() != 1 || network.dyrep || network.embeds_pairs() || network.reads_common()) {
    return false;
  }
  if (network.embedding == EmbeddingKind::identity) return true;
  // Under the pyg rules, times of neighbours end at the neighbour's last event, not at the query.
  return network.is_pyg() && network.embedding != EmbeddingKind::time &&
         network.sampling == NeighborSampling::recent;
}

PlannerOptions planner_options(const TgnModel& model, const SessionOptions& o) {
  const TgnOptions& network = model.options();
  PlannerOptions planner;
  planner.mode = o.mode;
  planner.refresh = o.refresh;
  planner.rules = network.rules;
  planner.has_memory = network.has_memory();
  planner.has_neighbors = network.has_neighbors();
  planner.layers = network.hops();
  planner.walks = network.embeds_pairs();
  planner.common = network.reads_common();
  planner.types = model.inputs().types;
  planner.neighbors = network.neighbors;
  planner.sampling = network.sampling;
  planner.mean_messages = network.aggregator == AggregatorKind::mean;
  planner.time = o.time;
  planner.dyrep = network.dyrep;
  planner.can_share_rows = has_timeless_rows(network);
  return planner;
}

/// options: must outlive the result.
StepFeatures scaled(StepFeatures features, const SessionOptions& options) {
  features.edges.scaling = &options.edge_scaling;
  features.nodes.scaling = &options.node_scaling;
  return features;
}

}  // namespace

std::vector<TensorInfo> fixed_state_tensors(const TgnModel& model, const SessionOptions& options,
                                            std::size_t num_nodes) {
  const std::uint64_t nodes = num_nodes;
  std::vector<TensorInfo> tensors = {{kPastLast, dtype_of<EventId>(), {nodes}},
                                     {kPrevious, dtype_of<EventId>(), {nodes}}};
  if (options.pairs) {
    for (const auto& [name, bytes] : PairStream::bytes_per_node(*options.pairs)) {
      tensors.push_back({name, Dtype::u8, {nodes * bytes}});
    }
  }
  if (!model.options().has_memory()) return tensors;
  NodeMemory one(memory_shape(model, 1, options));
  one.lay_out(has_messages(Weights::fixed, options));
  const Dtype dtype = options.memory_dtype;
  tensors.push_back({kMemoryTensor, dtype, {nodes, one.record_bytes() / item_size(dtype)}});
  return tensors;
}

StreamSession::StreamSession(TgnModel& model, const EventView& events,
                             const TemporalNeighbors& neighbors, const StepFeatures& features,
                             const SessionOptions& options)
    : options_(options),
      memory_(make_memory(model, events.num_nodes, options)),
      shared_(make_shared_memory(memory_.get(), options)),
      pairs_(options.pairs ? std::make_unique<PairStream>(*options.pairs, events) : nullptr),
      planner_(events, neighbors, planner_options(model, options)),
      runner_(model, records_of(memory_.get(), shared_.get()), scaled(features, options_)) {
  planner_.use(pairs_.get());
}

bool StreamSession::compute_on(const DevicePlace& place,
                               const std::optional<OptimizerOptions>& optimizer) {
  if (model().options().embeds_pairs() || model().options().reads_common()) {
    const char* const what = model().options().embeds_pairs()
                                 ? " of a network that embeds pairs"
                                 : " of a decoder that reads common neighbours";
    check_device(place.device, place.command + what, "");
    return false;
  }
  const PlannerOptions plans = planner_options(model(), options_);
  device_ = DeviceSteps::open(place, {model(), memory_.get(), planner_.events().num_nodes,
                                      runner_.features(), plans, optimizer});
  runner_.compute_on(device_.get());
  return device_ != nullptr;
}

void StreamSession::bring_model_back() const {
  if (device_) device_->bring_model_back();
}

void StreamSession::model_changed() {
  if (device_) device_->model_changed();
}

void StreamSession::bring_memory_back() const {
  if (device_) device_->bring_memory_back();
}

void StreamSession::memory_changed() {
  if (device_) device_->memory_changed();
}

// Keeps old states: the memory of a node without events is never read.
void StreamSession::restart(Weights weights) {
  if (pairs_) pairs_->restart();
  if (memory_) {
    const std::size_t before = memory_->record_bytes();
    memory_->lay_out(has_messages(weights, options_));
    if (memory_->record_bytes() != before) memory_changed();
  }
  planner_.reset(weights);
}

void StreamSession::settle() {
  const auto nodes = static_cast<NodeId>(planner_.events().num_nodes);
  if (memory_ && planner_.updates_again()) {
    StepPlan plan;
    const auto update = [&](NodeId begin, NodeId end) {
      planner_.plan_last_updates(begin, end, plan);
      runner_.learn(plan);
    };
    if (shared_) shared_->each_own_page(update);
    for (NodeId begin = 0; !shared_ && begin < nodes; begin += std::min(kSettled, nodes - begin)) {
      update(begin, begin + std::min(kSettled, nodes - begin));
    }
    // A device's copy of the states stays valid: only the host's room for messages is released.
    memory_->drop_messages();
  }
  planner_.fix_weights();
}

void StreamSession::learn(std::span<const EventId> events, StepPlan& plan) {
  planner_.plan(events, {}, StepKind::updates, plan);
  runner_.learn(plan);
}

void StreamSession::clear_memory() {
  if (!memory_) return;
  memory_->reset();
  memory_changed();
}

void StreamSession::use(const EventView& events, const StepFeatures& features) {
  planner_.use(events);
  if (pairs_) pairs_->use(events);
  if (memory_) memory_->grow(events.num_nodes);
  runner_.use(scaled(features, options_));
}

void StreamSession::keep_state() {
  kept_ = planner_.past();
  bring_memory_back();
  if (memory_) memory_->begin_undo();
  if (pairs_) kept_pairs_ = pairs_->snapshot();
}

void StreamSession::restore() {
  planner_.set_past(kept_);
  kept_ = {};
  if (memory_) memory_->undo();
  memory_changed();
  if (pairs_) pairs_->restore(kept_pairs_);
  kept_pairs_ = {};
}

void StreamSession::save(Document& document) const {
  save_past(planner_.past(), planner_.events().num_nodes, document);
  if (pairs_) pairs_->save(document, planner_.events().num_nodes);
  if (!memory_) return;
  bring_memory_back();
  const std::uint64_t nodes = memory_->shape().nodes;
  Tensor memory{kMemoryTensor, memory_->shape().dtype, {}, {}, memory_->bytes()};
  memory.shape = {nodes, memory_->record_bytes() / item_size(memory.dtype)};
  document.tensors.push_back(std::move(memory));
}

void StreamSession::load(const Document& document, const std::string& path, EventId end) {
  const EventView& events = planner_.events();
  end = std::min(end, events.size());
  planner_.set_past(load_past(document, path, events, events.num_nodes, end));
  if (pairs_) pairs_->load(document, path, end);
  if (!memory_) return;
  const NodeMemoryShape& shape = memory_->shape();
  const std::uint64_t numbers = memory_->record_bytes() / item_size(shape.dtype);
  const std::span<std::byte> bytes = memory_->bytes();
  const auto from =
      shaped_tensor(document, path, kMemoryTensor, {shape.nodes, numbers}, shape.dtype).content();
  if (from.data() != bytes.data()) std::copy(from.begin(), from.end(), bytes.begin());
  memory_changed();
  if (memory_->is_finite(shape.nodes)) return;
  fail(ExitStatus::bad_input, path, ": tensor '", kMemoryTensor,
       "' has a number that is not finite");
}

TensorPlaces StreamSession::places() {
  if (!memory_) return {};
  return {{kMemoryTensor, memory_->bytes()}};
}

}  // namespace frugal::tgn
