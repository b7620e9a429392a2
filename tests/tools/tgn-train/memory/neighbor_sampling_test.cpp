// Neighbours that are drawn from all strictly before.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "tests/tools/tgn-train/memory/random_stream.h"
#include "tools/tgn-train/memory/step_planner.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

PlannerOptions uniform(std::size_t neighbors, std::size_t layers = 1) {
  PlannerOptions options;
  options.sampling = NeighborSampling::uniform;
  options.neighbors = neighbors;
  options.layers = layers;
  return options;
}

RandomStream stream_of(double equal_times, std::size_t events = 300) {
  StreamShape shape;
  shape.events = events;
  shape.equal_times = equal_times;
  return RandomStream(shape, {}, 1);
}

/// Plans of the stream in batches of that size.
std::vector<QueryRows> plans_of(const RandomStream& stream, const PlannerOptions& options,
                                std::size_t batch, std::uint64_t seed) {
  StepPlanner planner(stream.view(), stream.neighbors, options);
  planner.draw_by(seed);
  std::vector<QueryRows> plans;
  for (std::size_t begin = 0; begin < stream.size(); begin += batch) {
    std::vector<EventId> events(std::min(batch, stream.size() - begin));
    std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
    const std::span<const NodeId> others =
        std::span(stream.negatives).subspan(begin, events.size());
    StepPlan plan;
    planner.plan(events, others, StepKind::queries_and_updates, plan);
    plans.push_back(plan.layers.back());
  }
  return plans;
}

std::vector<EventId> joined_events(const std::vector<QueryRows>& plans) {
  std::vector<EventId> all;
  for (const QueryRows& plan : plans) all.insert(all.end(), plan.events.begin(), plan.events.end());
  return all;
}

}  // namespace

TEST_CASE("drawn neighbours are the node's, strictly before, in order, and as many as asked for") {
  for (const double equal : {0.0, 0.5, 0.95}) {
    const RandomStream stream = stream_of(equal);
    const QueryRows rows = plans_of(stream, uniform(4), stream.size(), 5).front();
    REQUIRE(rows.size() == 3 * stream.size());
    for (std::size_t q = 0; q < rows.size(); ++q) {
      const auto event = static_cast<EventId>(q / 3);
      const NodeId node = q % 3 == 0   ? stream.sources[event]
                          : q % 3 == 1 ? stream.destinations[event]
                                       : stream.negatives[event];
      std::size_t earlier = 0;
      for (EventId e = 0; e < event; ++e) {
        const bool has_node = stream.sources[e] == node || stream.destinations[e] == node;
        earlier += has_node && stream.time(e) < stream.time(event);
      }
      CHECK(rows.offsets[q + 1] - rows.offsets[q] == (earlier == 0 ? 0 : 4));
      for (std::size_t i = rows.offsets[q]; i < rows.offsets[q + 1]; ++i) {
        const EventId drawn = rows.events[i];
        CHECK(stream.time(drawn) < stream.time(event));
        CHECK((stream.sources[drawn] == node || stream.destinations[drawn] == node));
        CHECK(rows.dt[i] > 0);
        if (i != rows.offsets[q]) CHECK(drawn >= rows.events[i - 1]);
      }
    }
  }
}

TEST_CASE("each of the neighbours before is drawn as often as the others") {
  // Node 0 met 20 others at 20 times, then many events ask for its neighbours.
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> times;
  constexpr std::size_t kOthers = 20, kAsking = 4000, kDrawn = 10;
  for (std::size_t e = 0; e < kOthers + kAsking; ++e) {
    sources.push_back(0);
    destinations.push_back(static_cast<NodeId>(1 + e % kOthers));
    times.push_back(static_cast<std::int64_t>(std::min(e, kOthers)));
  }
  const EventView view{sources, destinations, EventTimes{std::span<const std::int64_t>(times)},
                       kOthers + 1};
  const TemporalCsr neighbors(sources, destinations, kOthers + 1);
  StepPlanner planner(view, neighbors, uniform(kDrawn));
  std::vector<EventId> events(kAsking);
  std::iota(events.begin(), events.end(), static_cast<EventId>(kOthers));
  StepPlan plan;
  planner.plan(events, {}, StepKind::queries, plan);
  const QueryRows& rows = plan.layers[0];
  std::map<EventId, double> counts;
  double repeated = 0;
  for (std::size_t q = 0; q < rows.size(); q += 2) {
    for (std::size_t i = rows.offsets[q]; i < rows.offsets[q + 1]; ++i) {
      ++counts[rows.events[i]];
      repeated += i != rows.offsets[q] && rows.events[i] == rows.events[i - 1];
    }
  }
  REQUIRE(counts.size() == kOthers);
  const double want = static_cast<double>(kAsking * kDrawn) / kOthers;
  double chi_square = 0;
  for (const auto& [event, count] : counts) chi_square += (count - want) * (count - want) / want;
  // 19 degrees of freedom: one of 10,000 seeds is beyond.
  CHECK(chi_square < 51);
  // With replacement: of ten draws from 20, ten less 20 (1 - 0.95^10) are repetitions.
  CHECK(repeated / kAsking == doctest::Approx(10 - 20 * (1 - std::pow(0.95, 10))).epsilon(0.05));
}

TEST_CASE("draws are a function of seed, event and place: batches change none, seeds do") {
  const RandomStream stream = stream_of(0.5);
  for (const std::size_t layers : {1U, 2U}) {
    const PlannerOptions options = uniform(3, layers);
    const std::vector<EventId> whole = joined_events(plans_of(stream, options, stream.size(), 5));
    CHECK(joined_events(plans_of(stream, options, 7, 5)) == whole);
    CHECK(joined_events(plans_of(stream, options, 1, 5)) == whole);
    CHECK(joined_events(plans_of(stream, options, 7, 6)) != whole);
  }
}
