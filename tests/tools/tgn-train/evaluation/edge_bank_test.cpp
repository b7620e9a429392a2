#include <doctest/doctest.h>

#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tools/tgn-train/evaluation/baselines.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE("The bank knows what met before, with a window what met within it") {
  const SmallEvents small = drawn_events(300, 10, 9);
  const EventView view = small.view();
  InteractionHistory history(view);
  constexpr std::int64_t kWindow = 40;
  const EdgeBank unlimited(view.times), windowed(view.times, kWindow);
  std::size_t known = 0, recent = 0;
  for (EventId event = 0; event < view.size(); ++event) {
    const NodeId source = view.sources[event];
    for (NodeId candidate = 8; candidate < small.num_nodes; ++candidate) {
      bool ever = false, of_late = false;
      for (EventId past = 0; past < event; ++past) {
        if (view.sources[past] != source || view.destinations[past] != candidate) continue;
        ever = true;
        of_late = of_late || small.times[event] - small.times[past] <= kWindow;
      }
      const PairFacts facts = history.facts(source, candidate, event);
      CHECK(unlimited.score(facts, event) == (ever ? 1 : 0));
      CHECK(windowed.score(facts, event) == (of_late ? 1 : 0));
      CHECK(windowed.key(facts, event) == (of_late ? 1 : 0));
      known += ever ? 1 : 0;
      recent += of_late ? 1 : 0;
    }
    history.add(event);
  }
  CHECK(recent > 100);
  CHECK(known > recent);
}

TEST_CASE("Windows are exact where floats are not") {
  SmallEvents small;
  small.num_nodes = 2;
  constexpr std::int64_t kLate = std::int64_t{1} << 55;
  small.add(0, 1, kLate);
  small.add(0, 1, kLate + 10);
  small.add(0, 1, kLate + 21);
  InteractionHistory history(small.view());
  const EdgeBank bank(small.view().times, 10);
  history.add(0);
  CHECK(bank.score(history.facts(0, 1, 1), 1) == 1);
  history.add(1);
  CHECK(bank.score(history.facts(0, 1, 2), 2) == 0);
}
