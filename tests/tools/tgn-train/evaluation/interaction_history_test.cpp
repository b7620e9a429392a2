#include "tools/tgn-train/evaluation/interaction_history.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;

TEST_CASE("A table of pairs finds what was added, through growth, and nothing else") {
  PairTable table;
  std::map<std::pair<NodeId, NodeId>, std::pair<EventId, std::uint32_t>> expected;
  Rng rng(5);
  for (EventId event = 0; event < 20000; ++event) {
    const auto u = static_cast<NodeId>(rng.below(120)), v = static_cast<NodeId>(rng.below(120));
    table.add(u, v, event);
    auto& [last, count] = expected[{u, v}];
    last = event;
    ++count;
  }
  CHECK(table.size() == expected.size());
  CHECK(table.num_bytes() * 3 >= table.size() * 16 * 4);
  for (NodeId u = 0; u < 125; ++u) {
    for (NodeId v = 0; v < 125; ++v) {
      const auto at = expected.find({u, v});
      const PairTable::Pair* pair = table.find(u, v);
      REQUIRE((pair != nullptr) == (at != expected.end()));
      if (pair == nullptr) continue;
      CHECK(pair->last == at->second.first);
      CHECK(pair->count == at->second.second);
    }
  }
}

TEST_CASE("A table that was made for its pairs never grows") {
  PairTable table(1000);
  const std::size_t bytes = table.num_bytes();
  for (NodeId v = 0; v < 1000; ++v) table.add(1, v, v);
  CHECK(table.num_bytes() == bytes);
  CHECK(bytes <= 32768);
}

TEST_CASE("Facts are those of the events so far, equal times being equal") {
  const SmallEvents small = drawn_events(400, 10, 7);
  const EventView view = small.view();
  InteractionHistory history(view);
  const auto moment = [&](EventId event) { return view.times.first_at_time_of(event); };
  std::size_t met = 0;
  for (EventId event = 0; event < view.size(); ++event) {
    const NodeId source = view.sources[event];
    for (NodeId candidate = 0; candidate < small.num_nodes; ++candidate) {
      PairFacts expected;
      for (EventId past = 0; past < event; ++past) {
        const NodeId u = view.sources[past], v = view.destinations[past];
        if (u == source && v == candidate) {
          expected.link = moment(past);
          ++expected.link_count;
        }
        if (u == candidate && v == source) expected.reply = moment(past);
        if (v == candidate) {
          expected.destination = moment(past);
          ++expected.destination_count;
        }
        if (u == candidate || v == candidate) expected.activity = moment(past);
      }
      const PairFacts facts = history.facts(source, candidate, event);
      CHECK(facts.link == expected.link);
      CHECK(facts.reply == expected.reply);
      CHECK(facts.destination == expected.destination);
      CHECK(facts.activity == expected.activity);
      CHECK(facts.link_count == expected.link_count);
      CHECK(facts.destination_count == expected.destination_count);
      met += facts.link_count > 1 ? 1 : 0;
    }
    history.add(event);
  }
  CHECK(met > 500);
}

TEST_CASE("Replies are events in which the candidate was the source") {
  SmallEvents small;
  small.num_nodes = 3;
  small.add(0, 1, 1);
  small.add(2, 0, 2);
  InteractionHistory history(small.view());
  history.add(0);
  history.add(1);
  CHECK(history.facts(1, 0, 2).reply == 0);
  CHECK(history.facts(0, 2, 2).reply == 1);
  CHECK(history.facts(0, 2, 2).link == kNoEvent);
}

TEST_CASE("Decayed popularity is the sum of powers of the ages in events") {
  const SmallEvents small = drawn_events(3000, 10, 8);
  const std::vector<double> half_lives = {2, 50};
  InteractionHistory history(small.view(), half_lives);
  for (EventId event = 0; event < small.sources.size(); ++event) {
    if (event % 271 == 0) {
      for (NodeId node = 8; node < small.num_nodes; ++node) {
        const PairFacts facts = history.facts(0, node, event);
        for (std::size_t i = 0; i < half_lives.size(); ++i) {
          double expected = 0;
          for (EventId past = 0; past < event; ++past) {
            if (small.destinations[past] == node) {
              expected += std::exp2(-static_cast<double>(event - past) / half_lives[i]);
            }
          }
          CHECK(std::exp2(facts.popularity[i]) == doctest::Approx(expected).epsilon(1e-4));
        }
      }
    }
    history.add(event);
  }
}

TEST_CASE("Decayed popularity keeps its digits over very many half-lives") {
  DecayedPopularity popularity(3, 2);
  for (EventId event = 0; event < 1000000; ++event) popularity.add(event % 2, event);
  const double ratio = std::exp2(-2 / 3.0);
  // Of 0: events 2, 4, 6 ... ago; of 1: 1, 3, 5 ... ago.
  CHECK(std::exp2(popularity.log2_count(0, 1000000)) ==
        doctest::Approx(ratio / (1 - ratio)).epsilon(1e-6));
  CHECK(std::exp2(popularity.log2_count(1, 1000000)) ==
        doctest::Approx(std::exp2(-1 / 3.0) / (1 - ratio)).epsilon(1e-6));
}
