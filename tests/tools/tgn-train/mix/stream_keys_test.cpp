#include "tools/tgn-train/mix/stream_keys.h"

#include <doctest/doctest.h>

#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE("Keys take at most the bytes that are forecast, and not far from it") {
  for (const std::size_t events : {2000U, 20000U}) {
    const SmallEvents small = drawn_events(events, 2000, 7);
    const EventView view = small.view();
    LinkKeys keys(1, view.num_nodes);
    for (EventId event = 0; event < view.size(); ++event) {
      keys.add(view.sources[event], view.destinations[event], event);
    }
    Document document;
    keys.save(document, view.num_nodes);
    std::uint64_t bytes = 0;
    for (const Tensor& tensor : document.tensors) bytes += tensor.content().size();
    const std::uint64_t most = StreamKeys::most_bytes(view);
    CHECK(bytes <= most);
    CHECK(most <= 4 * bytes);
  }
}

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
