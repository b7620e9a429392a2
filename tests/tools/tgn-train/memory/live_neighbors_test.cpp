#include <doctest/doctest.h>

#include <vector>

#include "libcore/base/rng.h"
#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/memory/live_session.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

struct PlainEvents {
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> times;
};

/// Hubs, self loops, and long runs of one time.
PlainEvents random_events(std::size_t n, std::size_t nodes, double equal) {
  Rng rng(7, n);
  PlainEvents events;
  std::int64_t time = 5;
  for (std::size_t e = 0; e < n; ++e) {
    if (rng.uniform() >= equal) ++time;
    const auto node = [&] { return static_cast<NodeId>(rng.below(3) == 0 ? 0 : rng.below(nodes)); };
    events.sources.push_back(node());
    events.destinations.push_back(node());
    events.times.push_back(time);
  }
  return events;
}

/// Adds batches of several sizes and compares what any event of a batch may look up.
void check_against_whole(double equal, std::size_t count) {
  constexpr std::size_t kNodes = 6;
  const PlainEvents events = random_events(400, kNodes, equal);
  const TemporalCsr whole(events.sources, events.destinations, kNodes);
  const EventTimes times{std::span<const std::int64_t>(events.times)};
  LiveNeighbors live(count);
  live.grow(kNodes);
  Rng rng(1);
  for (std::size_t begin = 0; begin < events.times.size();) {
    const std::size_t end = std::min(events.times.size(), begin + 1 + rng.below(9));
    for (std::size_t e = begin; e < end; ++e) {
      live.add(events.sources[e], events.destinations[e], static_cast<EventId>(e));
    }
    for (std::size_t e = begin; e < end; ++e) {
      const EventId first = times.first_at_time_of(static_cast<EventId>(e));
      for (const EventId limit : {first, std::min(first, static_cast<EventId>(begin))}) {
        for (NodeId v = 0; v < kNodes; ++v) {
          const auto want = whole.before(v, limit);
          const auto got = live.before(v, limit);
          const std::size_t n = std::min(count, want.size());
          REQUIRE(got.size() >= n);
          for (std::size_t i = 1; i <= n; ++i) {
            CHECK(got[got.size() - i].event == want[want.size() - i].event);
            CHECK(got[got.size() - i].node == want[want.size() - i].node);
          }
        }
      }
    }
    live.settle(times.first_at_time_of(static_cast<EventId>(end - 1)));
    for (NodeId v = 0; v < kNodes; ++v) CHECK(live.entries(v).size() <= 2 * count);
    begin = end;
  }
}

}  // namespace

TEST_CASE("the last neighbours of a growing stream are those of the whole one, in bounded memory") {
  for (const double equal : {0.0, 0.5, 0.97}) {
    for (const std::size_t count : {1U, 3U, 10U}) {
      CAPTURE(equal);
      CAPTURE(count);
      check_against_whole(equal, count);
    }
  }
}

TEST_CASE("a growing stream whose neighbours are drawn forgets none, and numbers may change") {
  LiveNeighbors live(LiveNeighbors::kAll);
  live.grow(2);
  for (EventId e = 0; e < 50; ++e) live.add(0, 1, 2 * e);
  live.settle(98);
  CHECK(live.before(0, 98).size() == 49);
  std::vector<EventId> numbers(99, kNoEvent);
  for (EventId e = 0; e < 50; ++e) numbers[2 * e] = e;
  live.renumber(numbers);
  CHECK(live.before(1, 10).size() == 10);
  CHECK(live.before(1, 10).back().node == 0);
  live.grow(3);
  CHECK(live.num_nodes() == 3);
  CHECK(live.before(2, 100).empty());
}
