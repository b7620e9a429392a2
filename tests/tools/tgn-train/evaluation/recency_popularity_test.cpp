#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tools/tgn-train/evaluation/baselines.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

using Order = RecencyPopularity::Order;

const std::vector<Order> kOrders = {
    {LocalSignal::link_recency, GlobalSignal::destination_recency, 0},
    {LocalSignal::pair_recency, GlobalSignal::activity_recency, 0},
    {LocalSignal::link_count, GlobalSignal::destination_count, 0},
    {LocalSignal::none, GlobalSignal::popularity, 0},
    {LocalSignal::link_recency, GlobalSignal::none, 0},
};

/// Never is before the first event.
double since(EventId moment) { return moment == kNoEvent ? -1.0 : moment; }

/// What a candidate is compared by, from the definitions.
std::pair<double, double> signals(const PairFacts& facts, const Order& order) {
  double local = 0, global = 0;
  if (order.local == LocalSignal::link_recency) local = since(facts.link);
  if (order.local == LocalSignal::pair_recency) {
    local = std::max(since(facts.link), since(facts.reply));
  }
  if (order.local == LocalSignal::link_count) local = facts.link_count;
  if (order.global == GlobalSignal::destination_recency) global = since(facts.destination);
  if (order.global == GlobalSignal::activity_recency) global = since(facts.activity);
  if (order.global == GlobalSignal::destination_count) global = facts.destination_count;
  if (order.global == GlobalSignal::popularity) global = facts.popularity[order.half_life];
  return {local, global};
}

/// Events between any two of eleven nodes, so that there are replies.
SmallEvents popular_events() {
  SmallEvents events = drawn_events(300, 3, 10);
  Rng rng(3);
  for (NodeId& source : events.sources) source = static_cast<NodeId>(rng.below(11));
  return events;
}

}  // namespace

TEST_CASE("Keys order candidates by the local signal, then by the global one") {
  const SmallEvents small = popular_events();
  const EventView view = small.view();
  const std::vector<double> half_lives = {20};
  InteractionHistory history(view, half_lives);
  std::size_t ties = 0;
  for (EventId event = 0; event < view.size(); ++event) {
    std::vector<PairFacts> facts;
    for (NodeId candidate = 0; candidate < small.num_nodes; ++candidate) {
      facts.push_back(history.facts(view.sources[event], candidate, event));
    }
    for (const Order& order : kOrders) {
      const RecencyPopularity heuristic(view.times, order, 10);
      for (const PairFacts& a : facts) {
        for (const PairFacts& b : facts) {
          const auto expected_a = signals(a, order), expected_b = signals(b, order);
          const std::uint64_t key_a = heuristic.key(a, event), key_b = heuristic.key(b, event);
          REQUIRE((key_a < key_b) == (expected_a < expected_b));
          REQUIRE((key_a == key_b) == (expected_a == expected_b));
          ties += expected_a.first == expected_b.first ? 1 : 0;
          // Scores may round differences away, never turn them round.
          if (expected_a.first > expected_b.first) {
            REQUIRE(heuristic.score(a, event) >= heuristic.score(b, event));
          }
        }
      }
    }
    history.add(event);
  }
  CHECK(ties > 10000);
}

TEST_CASE("Scores are the closeness of meetings above that of other occurrences") {
  SmallEvents small;
  small.num_nodes = 5;
  small.add(0, 3, 0);
  small.add(1, 4, 60);
  small.add(0, 4, 70);
  InteractionHistory history(small.view());
  history.add(0);
  history.add(1);
  const RecencyPopularity heuristic(small.view().times, Order{}, 10);
  // 70 is seven units: log2 of 1 + 7 is 3.
  CHECK(heuristic.score(history.facts(0, 3, 2), 2) == doctest::Approx(1 + 1 / 4.0));
  CHECK(heuristic.score(history.facts(0, 4, 2), 2) == doctest::Approx(1 / 2.0));
  CHECK(heuristic.score(history.facts(0, 2, 2), 2) == 0);
  const RecencyPopularity counts(small.view().times,
                                 {LocalSignal::link_count, GlobalSignal::destination_count, 0}, 10);
  CHECK(counts.score(history.facts(0, 3, 2), 2) == doctest::Approx(1 + 1 / 32.0));
  CHECK(counts.score(history.facts(2, 3, 2), 2) == doctest::Approx(1 / 32.0));
}

TEST_CASE("Orders have names") {
  CHECK(order_text(Order{}) == "link_recency,destination_recency");
  CHECK(order_text({LocalSignal::none, GlobalSignal::popularity, 0}) == "popularity");
  CHECK(order_text({LocalSignal::pair_recency, GlobalSignal::none, 0}) == "pair_recency");
}

TEST_CASE("Scores tell counts apart where there are many") {
  const SmallEvents small = drawn_events(3, 2, 1);
  const RecencyPopularity counts(small.view().times,
                                 {LocalSignal::none, GlobalSignal::destination_count, 0}, 1);
  PairFacts more, fewer;
  more.destination_count = 200001;
  fewer.destination_count = 200000;
  CHECK(counts.score(more, 2) > counts.score(fewer, 2));
  const RecencyPopularity fading(small.view().times,
                                 {LocalSignal::none, GlobalSignal::popularity, 0}, 1);
  float last = 0;
  for (const float exponent : {-1e5F, -9e4F, -60.5F, -60.F, -0.1F, 0.F, 0.1F, 20.F, 20.1F, 32.F}) {
    more.popularity[0] = exponent;
    CHECK(fading.score(more, 2) > last);
    last = fading.score(more, 2);
  }
  CHECK(last == 1);
  more.popularity[0] = -std::numeric_limits<float>::infinity();
  CHECK(fading.score(more, 2) == 0);
}
