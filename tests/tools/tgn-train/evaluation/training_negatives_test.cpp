#include "tools/tgn-train/evaluation/training_negatives.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

TrainingNegatives negatives_of(const SmallEvents& small, TrainNegatives kind) {
  return {UniformNegative(distinct_destinations(small.view()), 5), kind,
          FirstMeetings(small.view(), [](EventId event) { return event % 5 != 0; })};
}

}  // namespace

TEST_CASE("Historical negatives are what the source met before the time, in events that count") {
  const SmallEvents small = drawn_events(600, 20, 4);
  const TrainingNegatives uniform = negatives_of(small, TrainNegatives::uniform),
                          historical = negatives_of(small, TrainNegatives::historical),
                          mixed = negatives_of(small, TrainNegatives::mixed);
  std::size_t met = 0, kept = 0, total = 0;
  for (EventId event = 0; event < small.sources.size(); ++event) {
    std::set<NodeId> before, now;
    for (EventId other = 0; other < small.sources.size(); ++other) {
      if (small.sources[other] != small.sources[event]) continue;
      if (small.times[other] < small.times[event] && other % 5 != 0) {
        before.insert(small.destinations[other]);
      }
      if (small.times[other] == small.times[event]) now.insert(small.destinations[other]);
    }
    std::vector<NodeId> plain, drawn, half;
    uniform.draw(event, 3, 4, plain);
    historical.draw(event, 3, 4, drawn);
    mixed.draw(event, 3, 4, half);
    REQUIRE(drawn.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const bool may = before.contains(drawn[i]) && !now.contains(drawn[i]);
      if (before.empty()) CHECK(drawn[i] == plain[i]);
      CHECK((may || drawn[i] == plain[i]));
      met += may ? 1 : 0;
      kept += half[i] == plain[i] ? 1 : 0;
      ++total;
    }
    std::vector<NodeId> again;
    historical.draw(event, 3, 4, again);
    CHECK(again == drawn);
  }
  CHECK(met > total * 9 / 10);
  CHECK(kept > total * 4 / 10);
  CHECK(kept < total * 7 / 10);
}

TEST_CASE("Each destination that was met is as likely, however often it was met") {
  SmallEvents small;
  small.num_nodes = 10;
  for (int i = 0; i < 50; ++i) small.add(0, i == 7 ? 2 : 1, i);
  small.add(0, 3, 99);
  const FirstMeetings meetings(small.view(), [](EventId) { return true; });
  Rng rng(1);
  std::size_t rare = 0;
  for (int i = 0; i < 1000; ++i) rare += meetings.draw(50, rng) == NodeId{2} ? 1 : 0;
  CHECK(rare > 440);
  CHECK(rare < 560);
  CHECK(!meetings.draw(0, rng));
  // All that was met before is the event's own destination.
  CHECK(!meetings.draw(3, rng));
}
