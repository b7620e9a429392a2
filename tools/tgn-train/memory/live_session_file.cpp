#include <algorithm>
#include <cassert>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/nn/state_tensors.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/tgn-train/data/header_names.h"
#include "tools/tgn-train/memory/live_session.h"
#include "tools/tgn-train/memory/stream_session.h"

namespace frugal::tgn {
namespace {

constexpr char kToldKey[] = "tgn.told";

/// True if the events are in ascending order. An event may occur twice: a self loop.
bool ascend(std::span<const EventId> events) {
  for (std::size_t i = 1; i < events.size(); ++i) {
    if (events[i] < events[i - 1]) return false;
  }
  return true;
}

}  // namespace

void LiveSession::save(Document& document) {
  document.metadata[kToldKey] = std::to_string(told_);
  std::vector<std::uint64_t> offsets{0};
  std::vector<EventId> entries;
  for (std::size_t v = 0; v < num_nodes_; ++v) {
    for (const TemporalNeighbor& n : neighbors_.entries(static_cast<NodeId>(v))) {
      entries.push_back(n.event);
    }
    offsets.push_back(entries.size());
  }
  document.tensors.push_back(
      Tensor::copy_of<std::uint64_t>("neighbors.offsets", {offsets.size()}, offsets));
  document.tensors.push_back(
      Tensor::copy_of<EventId>("neighbors.events", {entries.size()}, entries));
  save_past(session_.planner().past(), num_nodes_, document);
  if (session_.pairs() != nullptr) session_.pairs()->save(document, num_nodes_);
  if (session_.memory() == nullptr) return;
  const std::size_t bytes = num_nodes_ * session_.memory()->record_bytes();
  document.tensors.push_back(Tensor::lend<std::uint8_t>(
      "memory", {bytes},
      {reinterpret_cast<const std::uint8_t*>(session_.memory()->bytes().data()), bytes}));
}

void LiveSession::load(const EventContent& events, const Document& document,
                       const std::string& path, std::span<const std::uint64_t> keys) {
  assert(events_.size() == 0);
  set_nodes(events.num_nodes, keys);
  load_events(events, path);
  refresh();
  told_ = static_cast<EventId>(MetadataReader(document, path).number(kToldKey, 0, events_.size()));
  scored_ = events_.size();
  kept_ = events_.size();
  load_neighbors(document, path);
  session_.planner().set_past(
      load_past(document, path, events_.view(capacity_), num_nodes_, told_));
  if (session_.pairs() != nullptr) session_.pairs()->load(document, path, events_.size());
  load_memory(document, path);
}

void LiveSession::load_events(const EventContent& events, const std::string& path) {
  const std::size_t dim = events.edge_features.dim;
  if (dim != events_.num_features()) {
    fail(ExitStatus::bad_input, path, ": events have ", format_count(dim, "feature"),
         ", the model takes ", events_.num_features());
  }
  const std::size_t types = header_names_of(kTypesKey, events.metadata, path).size();
  if (types != events_.num_types()) {
    fail(ExitStatus::bad_input, path, ": events have ", types, " edge types, the model takes ",
         events_.num_types());
  }
  if (!events.times.is_whole()) events_.make_times_real();
  std::vector<float> features(dim);
  for (EventId e = 0; e < events.num_events(); ++e) {
    if (dim != 0) events.edge_features.read(e, features.data());
    events_.add(events.sources[e], events.destinations[e], events.times.at(e), features,
                types == 0 ? std::uint16_t{0} : events.types[e]);
  }
  stale_ = true;
}

void LiveSession::load_neighbors(const Document& document, const std::string& path) {
  const Tensor& tensor = document.at("neighbors.events");
  const std::uint64_t size = tensor.shape.size() == 1 ? tensor.shape[0] : 0;
  const auto entries =
      shaped_tensor(document, path, "neighbors.events", {size}, dtype_of<EventId>()).as<EventId>();
  const auto offsets =
      shaped_tensor(document, path, "neighbors.offsets", {num_nodes_ + 1}, Dtype::u64)
          .as<std::uint64_t>();
  if (offsets.front() != 0 || offsets.back() != size ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    fail(ExitStatus::bad_input, path, ": tensor 'neighbors.offsets' does not ascend from 0 to ",
         size);
  }
  const EventView view = events_.view(num_nodes_);
  std::vector<TemporalNeighbor> list;
  for (NodeId v = 0; v < num_nodes_; ++v) {
    const auto own = entries.subspan(offsets[v], offsets[v + 1] - offsets[v]);
    list.clear();
    for (const EventId e : own) {
      const bool is_source = e < view.size() && view.sources[e] == v;
      if (!is_source && (e >= view.size() || view.destinations[e] != v)) {
        fail(ExitStatus::bad_input, path, ": tensor 'neighbors.events': node ", v, " has event ", e,
             ", expected one that it is in");
      }
      list.push_back({is_source ? view.destinations[e] : view.sources[e], e});
    }
    if (!ascend(own)) {
      fail(ExitStatus::bad_input, path, ": tensor 'neighbors.events': those of node ", v,
           " do not ascend");
    }
    neighbors_.set_entries(v, list);
  }
}

void LiveSession::load_memory(const Document& document, const std::string& path) {
  NodeMemory* const memory = session_.memory();
  if (memory == nullptr) return;
  const std::uint64_t size = num_nodes_ * memory->record_bytes();
  const auto bytes = shaped_tensor(document, path, "memory", {size}, Dtype::u8).content();
  std::copy(bytes.begin(), bytes.end(), memory->bytes().begin());
  if (memory->is_finite(num_nodes_)) return;
  fail(ExitStatus::bad_input, path, ": tensor 'memory' has a number that is not finite");
}

}  // namespace frugal::tgn
