#include "tools/tgn-train/evaluation/pair_negatives.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE(
    "historical and inductive negatives are of pairs before the event, in training or after it") {
  const SmallEvents small = drawn_events(600, 20, 4);
  const SourceEvents events(small.view());
  constexpr EventId kTrainEnd = 400;
  const PairNegatives historical(events, kTrainEnd, PairNegatives::Kind::historical, 1),
      inductive(events, kTrainEnd, PairNegatives::Kind::inductive, 1);
  std::size_t drawn[2] = {}, none = 0;
  for (EventId event = kTrainEnd; event < small.sources.size(); ++event) {
    std::set<NodeId> training, later;
    for (EventId other = 0; other < small.sources.size(); ++other) {
      if (small.sources[other] != small.sources[event]) continue;
      if (small.times[other] < small.times[event]) {
        (other < kTrainEnd ? training : later).insert(small.destinations[other]);
      }
    }
    for (const NodeId node : training) later.erase(node);
    for (EventId other = 0; other < small.sources.size(); ++other) {
      if (small.sources[other] != small.sources[event]) continue;
      if (small.times[other] != small.times[event]) continue;
      training.erase(small.destinations[other]);
      later.erase(small.destinations[other]);
    }
    CHECK(historical.candidates(event) == std::vector<NodeId>(training.begin(), training.end()));
    CHECK(inductive.candidates(event) == std::vector<NodeId>(later.begin(), later.end()));
    for (const auto* const kind : {&historical, &inductive}) {
      const auto& from = kind == &historical ? training : later;
      const std::optional<NodeId> node = kind->draw(event);
      CHECK(node == kind->draw(event));
      CHECK(node.has_value() == !from.empty());
      if (node) {
        CHECK(from.contains(*node));
        ++drawn[kind == &inductive];
      } else {
        ++none;
      }
    }
  }
  CHECK(drawn[0] > 150);
  CHECK(drawn[1] > 20);
  CHECK(none > 0);
}
