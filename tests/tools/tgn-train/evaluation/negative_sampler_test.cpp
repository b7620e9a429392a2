#include "tools/tgn-train/evaluation/negative_sampler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tools/tgn-train/evaluation/evaluation_parts.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr EventId kTrainEnd = 300;

NegativeOptions options(NegativeKind kind, std::size_t count) { return {kind, count, 5}; }

std::set<NodeId> true_ones(const SmallEvents& small, EventId event) {
  std::set<NodeId> nodes;
  for (EventId other = 0; other < small.sources.size(); ++other) {
    if (small.times[other] == small.times[event] && small.sources[other] == small.sources[event]) {
      nodes.insert(small.destinations[other]);
    }
  }
  return nodes;
}

std::set<NodeId> met_in_training(const SmallEvents& small, NodeId source) {
  std::set<NodeId> nodes;
  for (EventId event = 0; event < kTrainEnd; ++event) {
    if (small.sources[event] == source) nodes.insert(small.destinations[event]);
  }
  return nodes;
}

}  // namespace

TEST_CASE("Distinct destinations are those of the events that are kept") {
  SmallEvents small;
  small.num_nodes = 10;
  for (const NodeId destination : {7U, 3U, 7U, 9U}) small.add(0, destination, 1);
  CHECK(distinct_destinations(small.view()) == std::vector<NodeId>{3, 7, 9});
  CHECK(distinct_destinations(small.view(), [](EventId event) { return event < 2; }) ==
        std::vector<NodeId>{3, 7});
}

namespace {

constexpr NodeId kNobody = ~NodeId{0};

}  // namespace

TEST_CASE("The negative of an event is uniform and depends on seed, stream and event alone") {
  const UniformNegative negative({2, 5, 6, 11}, 3), same({2, 5, 6, 11}, 3), other({2, 5, 6, 11}, 4);
  std::map<NodeId, double> counts;
  constexpr EventId kEvents = 40000;
  int streams_agree = 0, seeds_agree = 0;
  for (EventId event = kEvents; event-- > 0;) {
    const NodeId node = negative.draw_other(event, 1, kNobody);
    CHECK(node == same.draw_other(event, 1, kNobody));
    streams_agree += node == negative.draw_other(event, 2, kNobody) ? 1 : 0;
    seeds_agree += node == other.draw_other(event, 1, kNobody) ? 1 : 0;
    ++counts[node];
  }
  CHECK(counts.size() == 4);
  for (const auto& [node, count] : counts) CHECK(count == doctest::Approx(10000).epsilon(0.05));
  std::vector<NodeId> several = {7};
  negative.draw(5, 1, 40, several);
  CHECK(several.size() == 41);
  CHECK(several[1] == negative.draw_other(5, 1, kNobody));
  for (const NodeId node : {2, 5, 6, 11}) {
    CHECK(std::count(several.begin(), several.end(), node) > 2);
  }
  CHECK(streams_agree == doctest::Approx(10000).epsilon(0.05));
  CHECK(seeds_agree == doctest::Approx(10000).epsilon(0.05));
}

TEST_CASE("Uniform negatives are distinct and never what the source meets at that time") {
  const SmallEvents small = drawn_events(500, 40, 3);
  const SourceEvents events(small.view());
  const std::vector<NodeId> destinations = distinct_destinations(small.view());
  const DrawnNegatives negatives(events, kTrainEnd, destinations,
                                 options(NegativeKind::uniform, 10));
  std::vector<NodeId> nodes, again;
  for (EventId event = 0; event < small.sources.size(); ++event) {
    negatives.draw(event, nodes);
    REQUIRE(nodes.size() == 10);
    const std::set<NodeId> distinct(nodes.begin(), nodes.end());
    CHECK(distinct.size() == 10);
    for (const NodeId node : true_ones(small, event)) CHECK(distinct.count(node) == 0);
    CHECK(
        std::includes(destinations.begin(), destinations.end(), distinct.begin(), distinct.end()));
  }
  negatives.draw(7, nodes);
  negatives.draw(400, again);
  negatives.draw(7, again);
  CHECK(nodes == again);
}

TEST_CASE("Half of the historical negatives were met in training, the others were not") {
  const SmallEvents small = drawn_events(500, 40, 4);
  const SourceEvents events(small.view());
  const DrawnNegatives negatives(events, kTrainEnd, distinct_destinations(small.view()),
                                 options(NegativeKind::historical, 8));
  std::vector<NodeId> nodes;
  std::size_t full = 0;
  for (EventId event = kTrainEnd; event < small.sources.size(); ++event) {
    const std::set<NodeId> met = met_in_training(small, small.sources[event]);
    const std::set<NodeId> excluded = true_ones(small, event);
    std::size_t available = 0;
    for (const NodeId node : met) available += excluded.count(node) == 0 ? 1 : 0;
    negatives.draw(event, nodes);
    REQUIRE(nodes.size() == 8);
    CHECK(std::set<NodeId>(nodes.begin(), nodes.end()).size() == 8);
    const auto historical = std::count_if(nodes.begin(), nodes.end(),
                                          [&](NodeId node) { return met.count(node) != 0; });
    CHECK(static_cast<std::size_t>(historical) == std::min<std::size_t>(4, available));
    for (const NodeId node : nodes) CHECK(excluded.count(node) == 0);
    full += historical == 4 ? 1 : 0;
  }
  CHECK(full > 50);
}

TEST_CASE("A source without history gets random negatives, one that met all gets old ones") {
  SmallEvents small;
  small.num_nodes = 8;
  for (const NodeId destination : {4U, 5U, 6U, 7U}) small.add(0, destination, destination);
  small.add(0, 5, 10);
  small.add(1, 6, 11);
  const SourceEvents events(small.view());
  const DrawnNegatives negatives(events, 4, {4, 5, 6, 7}, options(NegativeKind::historical, 2));
  std::vector<NodeId> nodes;
  negatives.draw(4, nodes);
  CHECK(nodes.size() == 2);
  CHECK(std::count(nodes.begin(), nodes.end(), 5) == 0);
  negatives.draw(5, nodes);
  CHECK(std::set<NodeId>(nodes.begin(), nodes.end()).size() == 2);
  CHECK(std::count(nodes.begin(), nodes.end(), 6) == 0);
}

TEST_CASE("Few destinations are drawn once each, historical ones or not") {
  SmallEvents small;
  small.num_nodes = 8;
  for (const NodeId destination : {4U, 5U, 6U, 7U, 5U}) small.add(0, destination, small.num_nodes);
  for (const NodeId destination : {4U, 6U}) small.add(1, destination, 10 + destination);
  const SourceEvents events(small.view());
  for (const NegativeKind kind : {NegativeKind::uniform, NegativeKind::historical}) {
    const DrawnNegatives negatives(events, 6, {4, 5, 6, 7}, options(kind, 20));
    std::vector<NodeId> nodes;
    negatives.draw(6, nodes);
    std::sort(nodes.begin(), nodes.end());
    CHECK(nodes == std::vector<NodeId>{4, 5, 7});
  }
}

TEST_CASE("All negatives are all destinations but the true ones") {
  const SmallEvents small = drawn_events(200, 20, 6);
  const SourceEvents events(small.view());
  const std::vector<NodeId> destinations = distinct_destinations(small.view());
  const DrawnNegatives negatives(events, 0, destinations, options(NegativeKind::all, 1));
  std::vector<NodeId> nodes;
  for (EventId event = 0; event < small.sources.size(); ++event) {
    const std::set<NodeId> excluded = true_ones(small, event);
    negatives.draw(event, nodes);
    CHECK(nodes.size() == destinations.size() - excluded.size());
    CHECK(std::is_sorted(nodes.begin(), nodes.end()));
    for (const NodeId node : nodes) CHECK(excluded.count(node) == 0);
  }
}

TEST_CASE("Unseen negatives are all destinations that the source has not met") {
  const SmallEvents small = drawn_events(200, 12, 6);
  const SourceEvents events(small.view());
  const std::vector<NodeId> destinations = distinct_destinations(small.view());
  const DrawnNegatives negatives(events, 0, destinations, options(NegativeKind::unseen, 1));
  std::vector<NodeId> drawn, met;
  for (EventId event = 0; event < small.sources.size(); ++event) {
    negatives.draw(event, drawn);
    events.destinations_until(event, met);
    CHECK(drawn.size() + met.size() == destinations.size());
    for (const NodeId node : met) CHECK(std::count(drawn.begin(), drawn.end(), node) == 0);
  }
}

TEST_CASE("Events with new nodes are told from destinations of such events in their part") {
  SmallEvents small;
  small.num_nodes = 10;
  for (EventId event = 0; event < 60; ++event) small.add(0, 2 + event % 3, event);
  for (EventId event = 60; event < 80; ++event) small.add(event % 2, 5 + event % 2, event);
  for (EventId event = 80; event < 100; ++event) small.add(event % 2, 7 + event % 2, event);
  EvaluationParts parts;
  parts.valid_begin = 60;
  parts.test_begin = 80;
  parts.end = 100;
  parts.is_new = [](NodeId node) { return node == 1; };
  const EvaluationNegatives negatives(small.view(), parts, 1);
  CHECK(negatives.destinations().size() == 7);
  std::set<NodeId> drawn;
  for (EventId event = 60; event < 100; ++event) {
    drawn.insert(negatives.draw(event));
    CHECK(parts.is_inductive(small.view(), event) == (event % 2 == 1));
    if (event % 2 == 1) CHECK(negatives.draw_inductive(event) == (event < 80 ? 6 : 8));
  }
  CHECK(drawn.size() > 5);
}

TEST_CASE("An event that did not happen has another destination than the event, if there is one") {
  SmallEvents small;
  small.num_nodes = 10;
  for (EventId event = 0; event < 400; ++event) small.add(event % 2, 2 + event % 3 % 2, event);
  EvaluationParts parts;
  parts.valid_begin = 0;
  parts.test_begin = 200;
  parts.end = 400;
  parts.is_new = [](NodeId node) { return node == 1; };
  const EvaluationNegatives negatives(small.view(), parts, 1);
  std::size_t others = 0;
  for (EventId event = 0; event < 400; ++event) {
    others += negatives.draw(event) == 5 - small.view().destinations[event] ? 1 : 0;
    if (event % 2 == 1) {
      CHECK(negatives.draw_inductive(event) == 5 - small.view().destinations[event]);
    }
  }
  CHECK(others == 400);
  SmallEvents one;
  one.num_nodes = 3;
  one.add(0, 2, 1);
  parts.test_begin = 0;
  parts.end = 1;
  CHECK(EvaluationNegatives(one.view(), parts, 1).draw(0) == 2);
}
