#include "tools/tgn-train/data/event_lines.h"

namespace frugal::tgn {

bool EventLines::next(TextEvent& event, bool may_wait) {
  std::string_view line;
  while (!lines_ || !lines_->next(line)) {
    if (!reader_.next(piece_, may_wait)) return false;
    lines_.emplace(piece_, reader_.name(), layout_.header_line);
    counted_ = 0;
    line_number_ = piece_.first_line;
  }
  lines_->located([&] { parse(line); });
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

void EventLines::parse(std::string_view line) {
  const auto begin = static_cast<std::size_t>(line.data() - piece_.text().data());
  line_number_ += count_lines(piece_.text().substr(counted_, begin - counted_));
  counted_ = begin;
  event_.clear();
  parser_.add(line, line_number_, event_);
  if (last_ && is_before(event_.last.time, last_->time)) {
    fail_order(*last_, event_.last.time, options_);
  }
  last_ = event_.last;
}

}  // namespace frugal::tgn
