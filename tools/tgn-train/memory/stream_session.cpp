#include "tools/tgn-train/memory/stream_session.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal {
namespace {

constexpr char kMemory[] = "memory";

bool keeps_messages(const TgnOptions& network, const SessionOptions& o) {
  return o.mode == MemoryMode::window ? o.refresh != RefreshKind::none : !network.is_pyg();
}

std::unique_ptr<NodeMemory> make_memory(const TgnModel& model, std::size_t nodes,
                                        const SessionOptions& o) {
  if (!model.options().has_memory()) return nullptr;
  NodeMemoryShape shape;
  shape.nodes = nodes;
  shape.state_dim = model.options().memory_dim;
  if (keeps_messages(model.options(), o)) {
    shape.message_dim = kept_message_dim(model, o.mode == MemoryMode::exact);
  }
  shape.dtype = o.memory_dtype;
  return std::make_unique<NodeMemory>(shape, o.place);
}

PlannerOptions planner_options(const TgnOptions& network, const SessionOptions& o) {
  PlannerOptions planner;
  planner.mode = o.mode;
  planner.refresh = o.refresh;
  planner.architecture = network.architecture;
  planner.has_memory = network.has_memory();
  planner.has_neighbors = network.has_neighbors();
  planner.layers = network.layers;
  planner.neighbors = network.neighbors;
  planner.sampling = network.sampling;
  planner.mean_messages = network.aggregator == AggregatorKind::mean;
  planner.time_shift = o.time_shift;
  planner.dyrep = network.dyrep;
  return planner;
}

/// The tensor of that type and shape; fails (bad_input) where it is missing or another.
const Tensor& checked(const Document& document, const std::string& path, const std::string& name,
                      Dtype dtype, std::size_t size) {
  const Tensor& tensor = document.at(name);
  if (tensor.dtype == dtype && tensor.shape == Shape{size}) return tensor;
  fail(ExitStatus::bad_input, path, ": tensor '", name, "' is of another type or shape, expected ",
       dtype_name(dtype), " [", size, "]");
}

template <class T>
void copy_tensor(const Document& document, const std::string& path, const std::string& name,
                 Array<T>& to, std::size_t size) {
  const std::span<const T> from =
      checked(document, path, name, dtype_of<T>(), size).template as<T>();
  to = Array<T>::copy_of(from);
}

}  // namespace

StreamSession::StreamSession(TgnModel& model, const EventView& events,
                             const TemporalNeighbors& neighbors, const StepFeatures& features,
                             const SessionOptions& options)
    : options_(options),
      memory_(make_memory(model, events.num_nodes, options)),
      pairs_(options.pairs ? std::make_unique<PairStream>(*options.pairs, events) : nullptr),
      planner_(events, neighbors, planner_options(model.options(), options)),
      runner_(model, memory_.get(), features) {
  planner_.use(pairs_.get());
}

// Of a node without events no memory is read.
void StreamSession::restart(Weights weights) {
  if (pairs_) pairs_->restart();
  planner_.reset(weights);
}

void StreamSession::clear_memory() {
  if (memory_) memory_->reset();
}

void StreamSession::use(const EventView& events, const StepFeatures& features) {
  planner_.use(events);
  if (memory_) memory_->grow(events.num_nodes);
  runner_.use(features);
}

void StreamSession::keep_state() {
  kept_ = planner_.past();
  if (memory_) memory_->begin_undo();
  if (pairs_) kept_pairs_ = pairs_->snapshot();
}

void StreamSession::restore() {
  planner_.set_past(kept_);
  kept_ = {};
  if (memory_) memory_->undo();
  if (pairs_) pairs_->restore(kept_pairs_);
  kept_pairs_ = {};
}

void StreamSession::save(Document& document) const {
  const StepPlanner::Past past = planner_.past();
  const std::size_t nodes = past.last.size();
  const auto add = [&](const char* name, const Array<EventId>& events) {
    document.tensors.push_back(
        Tensor::copy_of<EventId>(name, {nodes}, {events.data(), events.size()}));
  };
  add("past.last", past.last);
  add("past.previous", past.previous);
  if (pairs_) pairs_->save(document);
  if (!memory_) return;
  const std::span<const std::byte> bytes = memory_->bytes();
  document.tensors.push_back(Tensor::lend<std::uint8_t>(
      kMemory, {bytes.size()},
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
}

void StreamSession::load(const Document& document, const std::string& path) {
  StepPlanner::Past past = planner_.past();
  const std::size_t nodes = past.last.size();
  copy_tensor(document, path, "past.last", past.last, nodes);
  copy_tensor(document, path, "past.previous", past.previous, nodes);
  planner_.set_past(past);
  if (pairs_) pairs_->load(document, path);
  if (!memory_) return;
  const std::span<std::byte> bytes = memory_->bytes();
  const auto from = checked(document, path, kMemory, Dtype::u8, bytes.size()).content();
  if (from.data() != bytes.data()) std::copy(from.begin(), from.end(), bytes.begin());
}

TensorPlaces StreamSession::places() {
  if (!memory_) return {};
  return {{kMemory, memory_->bytes()}};
}

}  // namespace frugal
