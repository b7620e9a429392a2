#include "tools/tgn-train/mix/stream_keys.h"

#include <doctest/doctest.h>

#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE(
    "Keys of an event are the same in any order of questions, and with a state kept between") {
  const SmallEvents small = drawn_events(300, 12, 7);
  StreamKeys straight(small.view(), 2), kept(small.view(), 2), anew(small.view(), 2);
  const std::vector<NodeId> candidates = {8, 9, 12, 15};
  std::vector<std::vector<float>> expected(300);
  for (EventId event = 0; event < 300; ++event) straight.keys(event, candidates, expected[event]);
  kept.keep(200);
  std::vector<float> keys;
  for (const EventId event : {250U, 299U, 210U, 100U, 220U, 0U}) {
    kept.keys(event, candidates, keys);
    CHECK(keys == expected[event]);
    anew.keys(event, candidates, keys);
    CHECK(keys == expected[event]);
  }
}
