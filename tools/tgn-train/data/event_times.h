#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace frugal::tgn {

/// Number of an event in the order of its stream.
using EventId = std::uint32_t;
inline constexpr EventId kNoEvent = std::numeric_limits<EventId>::max();

/// A time of a stream: one of the two, as in the stream's EventTimes.
struct EventTime {
  std::int64_t whole = 0;
  double real = 0;
};

/// View of the times of a stream's events, which never fall. They are exact: integers or doubles,
/// as in the input. The arrays are owned elsewhere, in memory or in a mapped file.
class EventTimes {
 public:
  EventTimes() = default;
  explicit EventTimes(std::span<const std::int64_t> times) : whole_(times) {}
  explicit EventTimes(std::span<const double> times) : real_(times) {}

  std::size_t size() const { return is_whole() ? whole_.size() : real_.size(); }
  bool is_whole() const { return real_.empty(); }
  std::span<const std::int64_t> whole() const { return whole_; }
  std::span<const double> real() const { return real_; }

  EventTime at(EventId event) const {
    return is_whole() ? EventTime{whole_[event], 0} : EventTime{0, real_[event]};
  }
  /// Time from an event to a time: the exact difference, rounded once. From kNoEvent: since the
  /// first event of the stream.
  double between(EventId from, EventTime to) const {
    if (from == kNoEvent) from = 0;
    if (!is_whole()) return to.real - real_[from];
    // Unsigned: the difference of any two is representable.
    const auto begin = static_cast<std::uint64_t>(whole_[from]);
    const auto end = static_cast<std::uint64_t>(to.whole);
    return to.whole >= whole_[from] ? static_cast<double>(end - begin)
                                    : -static_cast<double>(begin - end);
  }
  double between(EventId from, EventId to) const { return between(from, at(to)); }
  /// Prefetches the time of an event.
  void prefetch(EventId event) const {
    if (is_whole()) {
      __builtin_prefetch(whole_.data() + event);
    } else {
      __builtin_prefetch(real_.data() + event);
    }
  }
  /// First event at or after that time; size() if there is none.
  EventId first_not_before(EventTime time) const;
  /// First event at the time of `event`: all events before it are strictly earlier.
  EventId first_at_time_of(EventId event) const;

 private:
  std::span<const std::int64_t> whole_;
  std::span<const double> real_;
};

}  // namespace frugal::tgn
