#include "tools/tgn-train/data/event_lines.h"

namespace frugal::tgn {

bool EventLines::next(TextEvent& event, bool may_wait) {
  while (!rows_.pass()) {
    if (!reader_.next(piece_, may_wait)) return false;
    rows_.start(piece_);
  }
  rows_.located([&] { parse(); });
  if (options_.names) {
    event.source = event_.names[0];
    event.destination = event_.names[1];
  } else {
    source_ = std::to_string(std::uint64_t{event_.sources[0]} + layout_.first_id);
    destination_ = std::to_string(std::uint64_t{event_.destinations[0]} + layout_.first_id);
    event.source = source_;
    event.destination = destination_;
  }
  event.time = event_.last.time;
  event.features = event_.features;
  return true;
}

void EventLines::parse() {
  rows_.split();
  layout_.form.check(rows_.fields().size());
  event_.clear();
  parser_.add(rows_, event_);
  if (last_ && is_before(event_.last.time, last_->time)) {
    fail_order(*last_, event_.last.time, options_);
  }
  last_ = event_.last;
}

}  // namespace frugal::tgn
