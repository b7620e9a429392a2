#include "tools/tgn-train/train_position.h"

#include "libcore/base/text.h"
#include "libcore/io/metadata_reader.h"

namespace frugal::tgn {
namespace {

constexpr std::uint64_t kMostEpochs = std::uint64_t{1} << 30;

}  // namespace

void TrainPosition::save(Document& state) const {
  Metadata& m = state.metadata;
  m["frugal.step"] = std::to_string(step);
  m["train.epoch"] = std::to_string(epoch);
  m["train.next_event"] = std::to_string(in_epoch.next);
  m["train.window_event"] = std::to_string(in_epoch.window);
  m["train.in_window"] = std::to_string(in_epoch.in_window);
  m["train.loss_sum"] = format_number(loss_sum);
  m["train.loss_events"] = std::to_string(loss_events);
  m["train.loss"] = format_number(loss);
}

TrainPosition TrainPosition::load(const Document& state, const std::string& path) {
  const MetadataReader read(state, path);
  TrainPosition at;
  at.step = read.number("frugal.step");
  at.epoch = static_cast<int>(read.number("train.epoch", 0, kMostEpochs));
  at.in_epoch.next = static_cast<EventId>(read.number("train.next_event", 0, kNoEvent));
  at.in_epoch.window = static_cast<EventId>(read.number("train.window_event", 0, kNoEvent));
  at.in_epoch.in_window = read.number("train.in_window", 0, kNoEvent);
  at.loss_sum = read.real("train.loss_sum");
  at.loss_events = read.number("train.loss_events");
  at.loss = read.real("train.loss");
  return at;
}

}  // namespace frugal::tgn
