#include "tools/tgn-train/trained_memory.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcore/io/metadata_reader.h"
#include "libcore/nn/nested_document.h"
#include "tools/tgn-train/data/stream_fingerprint.h"

namespace frugal {
namespace {

const std::string kPrefix = "trained.";  ///< before the names of its tensors
constexpr char kEvents[] = "tgn.trained_events";
constexpr char kStream[] = "tgn.trained_stream";

}  // namespace

bool TrainedMemory::is_of(const EventStream& of) const { return stream_fingerprint(of) == stream; }

void TrainedMemory::save(Document& model) const {
  model.metadata[kEvents] = std::to_string(events);
  model.metadata[kStream] = stream;
  add_nested(model, kPrefix, state);
}

std::optional<TrainedMemory> TrainedMemory::take(Document& model, const std::string& path) {
  if (!model.metadata.contains(kStream)) return std::nullopt;
  const MetadataReader read(model, path);
  TrainedMemory trained;
  trained.events = static_cast<EventId>(read.number(kEvents, 1, kNoEvent));
  trained.stream = read.text(kStream);
  trained.path = path;
  std::vector<Tensor>& tensors = model.tensors;
  const auto first = std::stable_partition(
      tensors.begin(), tensors.end(), [](const Tensor& t) { return !t.name.starts_with(kPrefix); });
  for (auto tensor = first; tensor != tensors.end(); ++tensor) {
    tensor->name = tensor->name.substr(kPrefix.size());
  }
  std::move(first, tensors.end(), std::back_inserter(trained.state.tensors));
  tensors.erase(first, tensors.end());
  return trained;
}

void TrainedMemory::give(StreamSession& session) const {
  session.restart(Weights::fixed);
  session.load(state, path + ": memory of training", events);
}

}  // namespace frugal
