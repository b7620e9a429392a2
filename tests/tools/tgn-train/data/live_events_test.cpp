#include "tools/tgn-train/data/live_events.h"

#include <doctest/doctest.h>

#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

LiveEvents some_events() {
  LiveEvents events(2);
  for (NodeId e = 0; e < 6; ++e) {
    const float features[2] = {static_cast<float>(e), -1};
    events.add(e, e + 1, {std::int64_t{10} * e, 10.0 * e}, features);
  }
  return events;
}

}  // namespace

TEST_CASE("events that are dropped leave the others in their order") {
  LiveEvents events = some_events();
  const std::vector<EventId> numbers = events.drop({1, 0, 0, 1, 0, 1});
  CHECK(numbers == std::vector<EventId>{0, kNoEvent, kNoEvent, 1, kNoEvent, 2});
  REQUIRE(events.size() == 3);
  const EventView view = events.view(9);
  CHECK(view.sources[1] == 3);
  CHECK(view.destinations[2] == 6);
  CHECK(view.times.between(EventId{0}, EventId{2}) == 50);
  float row[2];
  events.features().read(1, row);
  CHECK(row[0] == 3);
  CHECK(row[1] == -1);
}

TEST_CASE("types go with their events, and are columns after the features") {
  LiveEvents events(1, 3);
  for (const std::uint16_t type : {2, 0, 1}) {
    const float feature = static_cast<float>(type) + 10;
    events.add(type, 7, {type, 0}, {&feature, 1}, type);
  }
  CHECK(events.drop({1, 0, 1}) == std::vector<EventId>{0, kNoEvent, 1});
  CHECK(events.view(9).types[1] == 1);
  REQUIRE(events.features().width() == 4);
  float row[4];
  events.features().read(1, row);
  CHECK(std::vector<float>(row, row + 4) == std::vector<float>{11, 0, 1, 0});
  events.pop_back();
  CHECK(events.view(9).types.size() == 1);
}

TEST_CASE("times become real without a change of their differences, where doubles can") {
  LiveEvents events = some_events();
  events.make_times_real();
  CHECK(!events.has_whole_times());
  const float features[2] = {};
  events.add(0, 1, {0, 50.25}, features);
  CHECK(events.view(9).times.between(EventId{1}, EventId{6}) == 40.25);
  LiveEvents empty(0);
  empty.make_times_real();
  CHECK(!empty.has_whole_times());
  LiveEvents late(0);
  late.add(0, 1, {9007199254740993, 0}, {});
  CHECK(error_of([&] { late.make_times_real(); }) ==
        "65 a time with a fraction behind 9007199254740993, expected whole numbers behind 2^53");
}
