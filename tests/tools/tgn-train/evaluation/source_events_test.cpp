#include <doctest/doctest.h>

#include <set>

#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tools/tgn-train/evaluation/negative_sampler.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE("The events of each source are all of its, in their order") {
  const SmallEvents small = drawn_events(500, 12, 1);
  const SourceEvents events(small.view());
  std::size_t total = 0;
  for (NodeId v = 0; v < small.num_nodes; ++v) {
    std::vector<EventId> expected;
    for (EventId event = 0; event < small.sources.size(); ++event) {
      if (small.sources[event] == v) expected.push_back(event);
    }
    const auto found = events.of(v);
    CHECK(std::vector<EventId>(found.begin(), found.end()) == expected);
    total += found.size();
  }
  CHECK(total == small.sources.size());
}

TEST_CASE("Destinations at the time of an event are those of the source at that very time") {
  const SmallEvents small = drawn_events(500, 12, 2);
  const SourceEvents events(small.view());
  std::size_t several = 0;
  std::vector<NodeId> found = {99};
  for (EventId event = 0; event < small.sources.size(); ++event) {
    std::set<NodeId> expected;
    for (EventId other = 0; other < small.sources.size(); ++other) {
      if (small.times[other] == small.times[event] &&
          small.sources[other] == small.sources[event]) {
        expected.insert(small.destinations[other]);
      }
    }
    events.destinations_at_time_of(event, found);
    CHECK(found == std::vector<NodeId>(expected.begin(), expected.end()));
    several += expected.size() > 1 ? 1 : 0;
  }
  CHECK(several > 10);
}

TEST_CASE("Destinations until an event are those of the source up to that time, each once") {
  const SmallEvents small = drawn_events(300, 12, 4);
  const SourceEvents events(small.view());
  std::vector<NodeId> found;
  for (EventId event = 0; event < small.sources.size(); ++event) {
    std::set<NodeId> expected;
    for (EventId other = 0; other < small.sources.size(); ++other) {
      if (small.times[other] <= small.times[event] &&
          small.sources[other] == small.sources[event]) {
        expected.insert(small.destinations[other]);
      }
    }
    events.destinations_until(event, found);
    CHECK(found == std::vector<NodeId>(expected.begin(), expected.end()));
  }
}

TEST_CASE("No events have no sources, one event has one") {
  SmallEvents small;
  small.num_nodes = 2;
  CHECK(SourceEvents(small.view()).of(1).empty());
  small.add(1, 1, 5);
  const SourceEvents events(small.view());
  CHECK(events.of(0).empty());
  REQUIRE(events.of(1).size() == 1);
  CHECK(events.of(1)[0] == 0);
}
