#include "tools/tgn-train/epoch_position.h"

#include "libcore/io/metadata_reader.h"

namespace frugal::tgn {

void EpochPosition::save(Document& state) const {
  state.metadata["train.next_event"] = std::to_string(next);
  state.metadata["train.window_event"] = std::to_string(window);
  state.metadata["train.in_window"] = std::to_string(in_window);
}

EpochPosition EpochPosition::load(const Document& state, const std::string& path) {
  const MetadataReader read(state, path);
  EpochPosition at;
  at.next = static_cast<EventId>(read.number("train.next_event", 0, kNoEvent));
  at.window = static_cast<EventId>(read.number("train.window_event", 0, kNoEvent));
  at.in_window = read.number("train.in_window", 0, kNoEvent);
  return at;
}

}  // namespace frugal::tgn
