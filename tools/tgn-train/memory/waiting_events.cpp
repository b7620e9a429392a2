#include "tools/tgn-train/memory/waiting_events.h"

#include <algorithm>

namespace frugal::tgn {

void WaitingEvents::add(std::span<const EventId> events) {
  events_.insert(events_.end(), events.begin(), events.end());
}

/// Number of waiting events that a query about `next` sees; kNoEvent: all.
std::size_t WaitingEvents::num_before(EventId next) const {
  if (next == kNoEvent) return events_.size();
  const EventId end = known_before(times_, next, ties_);
  return static_cast<std::size_t>(std::lower_bound(events_.begin(), events_.end(), end) -
                                  events_.begin());
}

std::span<const EventId> WaitingEvents::take_backlog(EventId next) {
  return take_first(std::min(kMany, num_before(next)));
}

std::span<const EventId> WaitingEvents::take(EventId last, EventId next) {
  const std::size_t needed = num_before(last), all = num_before(next);
  return take_first(all - needed <= kMany ? all : needed);
}

std::span<const EventId> WaitingEvents::take_all() { return take_first(events_.size()); }

std::span<const EventId> WaitingEvents::take_first(std::size_t n) {
  const auto end = events_.begin() + static_cast<std::ptrdiff_t>(n);
  taken_.assign(events_.begin(), end);
  events_.erase(events_.begin(), end);
  return taken_;
}

}  // namespace frugal::tgn
