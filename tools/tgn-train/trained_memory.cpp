#include "tools/tgn-train/trained_memory.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/metadata_reader.h"
#include "libcore/io/tensor_file.h"
#include "libcore/train/checkpoint.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/data/node_keys.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/history/partner_rings.h"

namespace frugal::tgn {
namespace {

/// What nodes without events have, byte by byte: no event, or zeros.
std::byte without_events(const std::string& tensor) {
  const bool events = tensor.starts_with("past.") || tensor == "pairs.walks_updated";
  return std::byte{events ? std::uint8_t{0xff} : std::uint8_t{0}};
}

Tensor move_rows(const Tensor& from, const NodeMove& move, const std::string& path) {
  const std::span<const std::byte> rows = from.content();
  if (from.shape.empty() || rows.size() % move.nodes_before != 0) {
    fail(ExitStatus::bad_input, path, ": tensor '", printable(from.name), "' is ",
         shape_text(from.shape), ", expected rows for ", move.nodes_before, " nodes");
  }
  const std::size_t row_bytes = rows.size() / move.nodes_before;
  Shape shape = from.shape;
  // Tensors of bytes have no axis of nodes.
  shape[0] = shape[0] / move.nodes_before * move.nodes;
  Tensor to = Tensor::make(from.name, from.dtype, shape);
  std::fill(to.bytes.begin(), to.bytes.end(), without_events(from.name));
  for (NodeId v = 0; v < move.nodes_before; ++v) {
    if (!move.has(v)) continue;
    const auto row = rows.subspan(v * row_bytes, row_bytes);
    std::copy(row.begin(), row.end(),
              to.bytes.begin() + static_cast<std::ptrdiff_t>(move.of(v) * row_bytes));
  }
  return to;
}

void move_partners(const NodeMove& move, Tensor& partners) {
  auto* const begin = reinterpret_cast<PartnerRings::Partner*>(partners.bytes.data());
  for (PartnerRings::Partner& partner :
       std::span(begin, partners.bytes.size() / sizeof(PartnerRings::Partner))) {
    partner.node = static_cast<NodeId>(move.of(partner.node));
  }
}

/// The state of a session (StreamSession::save()) for a stream whose nodes have other numbers:
/// nodes that are new there have no events, those that it lacks had none. Fails (bad_input) with
/// `path` where a tensor is not of as many nodes as there were.
Document move_nodes(const Document& state, const NodeMove& move, const std::string& path) {
  Document moved;
  moved.metadata = state.metadata;
  for (const Tensor& tensor : state.tensors) {
    if (tensor.name == "pairs.now") {
      moved.tensors.push_back(tensor.clone());
      continue;
    }
    moved.tensors.push_back(move_rows(tensor, move, path));
    if (tensor.name == "pairs.partners") move_partners(move, moved.tensors.back());
  }
  return moved;
}

const std::string kTrainedPrefix = "trained.";  ///< before the names of its tensors
constexpr char kTrainedEventsKey[] = "tgn.trained_events";
constexpr char kStreamKey[] = "tgn.trained_stream";
constexpr char kDestinationsKey[] = "tgn.trained_destinations";

}  // namespace

TrainedMemory TrainedMemory::of(const EventStream& stream, EventId events,
                                const StreamSession& session) {
  TrainedMemory trained;
  trained.events = events;
  trained.stream = prefix_fingerprint(stream, events);
  trained.first_destination = keys_of(stream).first_destination;
  session.save(trained.state);
  return trained;
}

bool TrainedMemory::is_of(const EventStream& of) const {
  return events <= of.num_events() && prefix_fingerprint(of, events) == stream;
}

void TrainedMemory::fit(const EventStream& of) {
  const Tensor* const last = state.find("past.last");
  if (last == nullptr || last->shape.size() != 1 || last->shape[0] == 0) return;
  NodeMove move;
  move.nodes_before = last->shape[0];
  move.nodes = of.num_nodes();
  move.first_before = first_destination;
  move.first = keys_of(of).first_destination;
  if (move.is_none()) return;
  state = move_nodes(state, move, path);
  first_destination = move.first;
}

void TrainedMemory::save(Document& model) const {
  model.metadata[kTrainedEventsKey] = std::to_string(events);
  model.metadata[kStreamKey] = stream;
  if (first_destination != 0) model.metadata[kDestinationsKey] = std::to_string(first_destination);
  add_nested(model, kTrainedPrefix, state);
}

std::optional<TrainedMemory> TrainedMemory::take(Document& model, const std::string& path) {
  if (!model.metadata.contains(kStreamKey)) return std::nullopt;
  const MetadataReader read(model, path);
  TrainedMemory trained;
  trained.events = static_cast<EventId>(read.number(kTrainedEventsKey, 1, kNoEvent));
  trained.stream = read.text(kStreamKey);
  if (model.metadata.contains(kDestinationsKey)) {
    trained.first_destination = static_cast<NodeId>(read.number(kDestinationsKey, 1, kMostNodes));
  }
  trained.path = path;
  std::vector<Tensor>& tensors = model.tensors;
  const auto first = std::stable_partition(tensors.begin(), tensors.end(), [](const Tensor& t) {
    return !t.name.starts_with(kTrainedPrefix);
  });
  for (auto tensor = first; tensor != tensors.end(); ++tensor) {
    tensor->name = tensor->name.substr(kTrainedPrefix.size());
  }
  std::move(first, tensors.end(), std::back_inserter(trained.state.tensors));
  tensors.erase(first, tensors.end());
  return trained;
}

void TrainedMemory::give(StreamSession& session) const {
  session.restart(Weights::fixed);
  session.load(state, path + ": memory of training", events);
}

}  // namespace frugal::tgn
