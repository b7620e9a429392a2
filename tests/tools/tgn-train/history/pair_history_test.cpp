#include "tools/tgn-train/history/pair_history.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

constexpr std::size_t kPlaces = 4;
constexpr double kUnit = 7;

PairHistoryOptions history_options(std::size_t dim) {
  PairHistoryOptions options;
  options.places = kPlaces;
  options.time_unit = kUnit;
  options.walks = {2, dim, 100, 9};
  return options;
}

/// The last partners of a node before an event, newest first, from the whole stream.
std::vector<PartnerRings::Partner> partners(const SmallEvents& small, NodeId node, EventId end,
                                            std::size_t most = kPlaces) {
  std::vector<PartnerRings::Partner> partners;
  for (EventId event = end; event-- > 0 && partners.size() < most;) {
    const NodeId u = small.sources[event], v = small.destinations[event];
    if (u == node) {
      partners.push_back({v, event});
    } else if (v == node) {
      partners.push_back({u, event});
    }
  }
  return partners;
}

/// The features of the rings by their definitions.
std::vector<double> expected_features(const SmallEvents& small, NodeId source, NodeId candidate,
                                      EventId now) {
  const auto closeness = [&](EventId event) {
    return 1 / (1 + std::log1p(static_cast<double>(small.times[now] - small.times[event]) / kUnit));
  };
  std::vector<double> f(12);
  const auto ring = partners(small, source, now), other = partners(small, candidate, now);
  std::set<NodeId> direct, indirect;
  for (std::size_t i = ring.size(); i-- > 0;) {
    direct.insert(ring[i].node);
    if (ring[i].node != candidate) continue;
    f[0] = closeness(ring[i].event);
    f[1] = 1 - static_cast<double>(i) / kPlaces;
    f[2] += 1.0 / kPlaces;
  }
  for (const NodeId partner : direct) {
    for (const auto& second : partners(small, partner, now)) {
      if (second.node != source) indirect.insert(second.node);
    }
  }
  double common = 0, far = 0;
  for (std::size_t i = other.size(); i-- > 0;) {
    if (other[i].node == source) f[3] = closeness(other[i].event), f[4] += 1.0 / kPlaces;
    common += direct.count(other[i].node) != 0 ? 1 : 0;
    far += indirect.count(other[i].node) != 0 ? 1 : 0;
  }
  double popularity = 0;
  for (EventId event = 0; event < now; ++event)
    popularity += small.destinations[event] == candidate;
  f[5] = other.empty() ? 0 : closeness(other[0].event);
  f[6] = std::log1p(popularity);
  f[7] = std::log1p(static_cast<double>(partners(small, candidate, now, now).size()));
  f[8] = ring.empty() ? 0 : closeness(ring[0].event);
  f[9] = std::log1p(static_cast<double>(partners(small, source, now, now).size()));
  f[10] = std::log1p(common);
  f[11] = std::log1p(far);
  return f;
}

/// Events between any nodes.
SmallEvents mixed_events() {
  SmallEvents events = drawn_events(250, 6, 15);
  Rng rng(4);
  for (NodeId& source : events.sources) source = static_cast<NodeId>(rng.below(14));
  return events;
}

}  // namespace

TEST_CASE("Features of the rings are what the last events of both say") {
  const SmallEvents small = mixed_events();
  PairHistory history(history_options(0), small.view().times, small.num_nodes);
  REQUIRE(history.dim() == 12);
  CHECK(history.names().size() == 12);
  std::vector<NodeId> candidates;
  for (NodeId node = 0; node < small.num_nodes; ++node) candidates.push_back(node);
  std::vector<float> found(candidates.size() * history.dim());
  std::vector<std::size_t> set(history.dim());
  for (EventId event = 0; event < small.sources.size(); ++event) {
    history.features(small.sources[event], candidates, event, found.data());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto expected =
          expected_features(small, small.sources[event], candidates[i / history.dim()], event);
      REQUIRE(found[i] == Approx(expected[i % history.dim()]).epsilon(1e-5));
      set[i % history.dim()] += found[i] > 0 ? 1 : 0;
    }
    history.add(small.sources[event], small.destinations[event], event);
  }
  for (const std::size_t count : set) CHECK(count > 100);
}

TEST_CASE(
    "Features of a type are what the last events of that type say, among those of all types") {
  const SmallEvents small = mixed_events();
  std::vector<std::uint16_t> types;
  for (EventId event = 0; event < small.sources.size(); ++event)
    types.push_back(static_cast<std::uint16_t>(Rng(5, event).below(3)));
  PairHistoryOptions options = history_options(8);
  options.typed = true;
  PairHistory history(options, small.view().times, small.num_nodes, {}, types);
  REQUIRE(history.dim() == 12 + 5 + 12);
  CHECK(history.names()[12] == "typed_link_recency");
  CHECK(history.names()[17] == "walks_1_0");
  const auto closeness = [&](EventId event, EventId now) {
    return 1 / (1 + std::log1p(static_cast<double>(small.times[now] - small.times[event]) / kUnit));
  };
  std::vector<float> found(history.dim());
  std::size_t set = 0;
  for (EventId now = 0; now < small.sources.size(); ++now) {
    const NodeId source = small.sources[now];
    for (NodeId candidate = 0; candidate < small.num_nodes; ++candidate) {
      std::array<double, 5> expected{};
      const auto ring = partners(small, source, now), other = partners(small, candidate, now);
      for (std::size_t i = ring.size(); i-- > 0;) {
        if (ring[i].node != candidate || types[ring[i].event] != types[now]) continue;
        expected[0] = closeness(ring[i].event, now);
        expected[1] += 1.0 / kPlaces;
      }
      for (std::size_t i = other.size(); i-- > 0;) {
        if (types[other[i].event] != types[now]) continue;
        expected[2] = closeness(other[i].event, now);
        expected[3] += 1.0 / kPlaces;
      }
      history.features(source, {&candidate, 1}, now, found.data());
      expected[4] = expected[3] * found[6];
      for (std::size_t i = 0; i < 5; ++i) {
        REQUIRE(found[12 + i] == Approx(expected[i]).epsilon(1e-5));
        set += expected[i] > 0 ? 1 : 0;
      }
    }
    history.add(source, small.destinations[now], now);
  }
  CHECK(set > 500);
}

TEST_CASE("Features of walks stand behind those of the rings, of every candidate for itself") {
  const SmallEvents small = mixed_events();
  const PairHistoryOptions chosen = history_options(16);
  PairHistory history(chosen, small.view().times, small.num_nodes);
  WalkProjections walks(chosen.walks, small.view().times, small.num_nodes);
  for (EventId event = 0; event < 200; ++event) {
    history.add(small.sources[event], small.destinations[event], event);
    walks.add(small.sources[event], small.destinations[event], event);
  }
  REQUIRE(history.dim() == 24);
  CHECK(history.names()[12] == "walks_1_0");
  const std::vector<NodeId> candidates = {3, 11, 12, 13, 8, 9, 11};
  std::vector<float> together(candidates.size() * 24), alone(24), expected(12);
  history.features(5, candidates, 200, together.data());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    history.features(5, std::span(candidates).subspan(i, 1), 200, alone.data());
    walks.features(walks.source(5, 200), candidates[i], 200, expected.data());
    for (std::size_t j = 0; j < 24; ++j) {
      CHECK(together[24 * i + j] == alone[j]);
      if (j >= 12) CHECK(alone[j] == expected[j - 12]);
    }
  }
}

TEST_CASE("A reset history gives the same features again") {
  const SmallEvents small = mixed_events();
  PairHistory history(history_options(8), small.view().times, small.num_nodes);
  const std::vector<NodeId> candidates = {8, 9, 10};
  std::vector<float> first(3 * history.dim()), second(3 * history.dim());
  for (std::vector<float>* out : {&first, &second}) {
    history.reset();
    for (EventId event = 0; event < 100; ++event) {
      history.add(small.sources[event], small.destinations[event], event);
    }
    history.features(3, candidates, 100, out->data());
  }
  CHECK(first == second);
  std::size_t num_bytes = 0;
  for (const PairHistory::Piece& piece : history.pieces()) num_bytes += piece.bytes.size();
  CHECK(num_bytes == 14 * (kPlaces * 8 + 4 + 4 + 2 * 8 * 4 + 4));
}

TEST_CASE("Options fit the times of training") {
  SmallEvents small;
  for (std::int64_t i = 0; i < 101; ++i) small.add(0, 1, 1000 + 3 * i);
  small.add(0, 1, 1000000);
  const PairHistoryOptions options = pair_options_for(small.view().times, 101);
  CHECK(options.time_unit == Approx(3));
  CHECK(options.walks.half_life == Approx(30.3));
}
