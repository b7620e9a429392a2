#include "tools/tgn-train/trained_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcore/io/metadata_reader.h"
#include "libcore/train/nested_document.h"
#include "tools/tgn-train/data/event_file.h"
#include "tools/tgn-train/data/live_nodes.h"
#include "tools/tgn-train/data/stream_fingerprint.h"
#include "tools/tgn-train/memory/state_nodes.h"

namespace frugal::tgn {
namespace {

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
