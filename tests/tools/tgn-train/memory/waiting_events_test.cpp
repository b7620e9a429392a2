#include "tools/tgn-train/memory/waiting_events.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// How many events become known with a query of time 1, where one waits of time 0 and `later` of
/// time 1, and the next query is of time 2.
std::size_t taken(std::size_t later) {
  std::vector<std::int64_t> times(later + 2, 1);
  times.front() = 0;
  times.back() = 2;
  const EventTimes all{std::span<const std::int64_t>(times)};
  WaitingEvents waiting(all, Ties::strict);
  std::vector<EventId> events(later + 1);
  std::iota(events.begin(), events.end(), EventId{0});
  waiting.add(events);
  return waiting.take(1, static_cast<EventId>(later + 1)).size();
}

}  // namespace

TEST_CASE("a step is told of all events that the next one needs, unless they are too many") {
  CHECK(taken(3) == 4);
  CHECK(taken(WaitingEvents::kMany) == WaitingEvents::kMany + 1);
  CHECK(taken(WaitingEvents::kMany + 1) == 1);
}
