#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/memory/memory_options.h"

namespace frugal::tgn {

/// Window mode: events that were queried and are not applied to the memory yet. With strict ties
/// these are the events at the present time.
class WaitingEvents {
 public:
  /// Most events that one step applies beyond those that its queries see.
  static constexpr std::size_t kMany = 4096;

  /// times: must outlive the object.
  WaitingEvents(const EventTimes& times, Ties ties) : times_(times), ties_(ties) {}

  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  /// The first waiting event; there must be one.
  EventId front() const { return events_.front(); }
  /// Appends events.
  void add(std::span<const EventId> events);
  /// True if more than kMany waiting events must be applied before `next` is queried. Steps without
  /// queries then apply them.
  bool is_backlog(EventId next) const { return num_before(next) > kMany; }
  /// Removes and returns the events of such a step, ascending; valid until more are taken.
  std::span<const EventId> take_backlog(EventId next);
  /// Removes and returns the events that a step applies whose last query is about `last`: all that
  /// a query about `next` sees (kNoEvent: all), or, if they are kMany more, those that `last` sees.
  /// Ascending; valid until more are taken.
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
