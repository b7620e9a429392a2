#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/memory/memory_options.h"

namespace frugal::tgn {

/// Events that were asked about and that a memory of events in turn does not know yet: those of the
/// present time, where events of one time do not know each other.
class WaitingEvents {
 public:
  /// More events than these are not told of in one step, but for those that its queries need.
  static constexpr std::size_t kMany = 4096;

  /// times: outlives this.
  WaitingEvents(const EventTimes& times, Ties ties) : times_(times), ties_(ties) {}

  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  /// The first one, of some.
  EventId front() const { return events_.front(); }
  /// Events behind all others.
  void add(std::span<const EventId> events);
  /// Whether so many must be known before `next` is asked about that steps without queries come
  /// first.
  bool is_backlog(EventId next) const { return num_before(next) > kMany; }
  /// The events of such a step, ascending; valid until more are taken.
  std::span<const EventId> take_backlog(EventId next);
  /// What becomes known with a step whose last query is about `last`; then `next` is asked about,
  /// or, kNoEvent, none. Ascending; valid until more are taken.
  std::span<const EventId> take(EventId last, EventId next);
  std::span<const EventId> take_all();

 private:
  std::size_t num_before(EventId next) const;
  std::span<const EventId> take_first(std::size_t n);

  const EventTimes& times_;
  Ties ties_;
  std::vector<EventId> events_, taken_;
};

}  // namespace frugal::tgn
