// Products of walks in plans, against projections of a history of its own for each event.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "libcore/graph/temporal_csr.h"
#include "libcore/kernels/kernels.h"
#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tools/tgn-train/memory/step_planner.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kWalkHops = 2, kWalkDim = 8, kLastWalked = 3, kWalkOthers = 2;

PairHistoryOptions walk_options() {
  PairHistoryOptions options;
  options.places = 1;
  options.walks = {kWalkHops, kWalkDim, 100, 9};
  return options;
}

/// The rows of nodes by the events strictly before an event.
class WalksBefore {
 public:
  WalksBefore(const EventView& events, EventId event)
      : walks_(walk_options().walks, events.times, events.num_nodes), event_(event) {
    for (EventId before = 0; before < event; ++before) {
      if (events.at_same_time(before, event)) continue;
      walks_.add(events.sources[before], events.destinations[before], before);
    }
  }
  std::vector<float> own(NodeId node) const {
    std::vector<float> products;
    for (std::size_t i = 0; i <= kWalkHops; ++i) {
      for (std::size_t j = 0; j <= i; ++j) products.push_back(product(node, i, node, j));
    }
    return products;
  }
  std::vector<float> cross(NodeId a, NodeId b) const {
    std::vector<float> products;
    for (std::size_t i = 0; i <= kWalkHops; ++i) {
      for (std::size_t j = 0; j <= kWalkHops; ++j) products.push_back(product(a, i, b, j));
    }
    return products;
  }

 private:
  float product(NodeId a, std::size_t i, NodeId b, std::size_t j) const {
    const std::vector<float> x = walks_.at(a, event_), y = walks_.at(b, event_);
    double sum = 0;
    for (std::size_t d = 0; d < kWalkDim; ++d) {
      sum += static_cast<double>(x[i * kWalkDim + d]) * static_cast<double>(y[j * kWalkDim + d]);
    }
    return static_cast<float>(std::log1p(std::max(0.0, sum)));
  }

  WalkProjections walks_;
  EventId event_;
};

void append(std::vector<float>& to, const std::vector<float>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// By the queries and neighbours of the plan.
WalkRows expected_rows(const StepPlan& plan, const EventView& events,
                       std::span<const EventId> queried) {
  const QueryRows& q = plan.layers[0];
  const auto node = [&](std::uint32_t slot) { return plan.node_of_slot[slot]; };
  WalkRows rows;
  for (std::size_t i = 0; i < queried.size(); ++i) {
    const WalksBefore walks(events, queried[i]);
    const std::size_t source = i * (2 + kWalkOthers);
    const auto add_others = [&](std::size_t own, std::size_t end) {
      for (std::size_t e = q.offsets[own]; e < q.offsets[own + 1]; ++e) {
        append(rows.others, walks.cross(node(q.neighbors[e]), node(q.self[end])));
      }
    };
    for (std::size_t query = source; query < source + 2 + kWalkOthers; ++query) {
      append(rows.nodes, walks.own(node(q.self[query])));
      for (std::size_t e = q.offsets[query]; e < q.offsets[query + 1]; ++e) {
        append(rows.neighbors, walks.own(node(q.neighbors[e])));
        append(rows.ends, walks.cross(node(q.neighbors[e]), node(q.self[query])));
      }
      if (query == source) continue;
      add_others(source, query);
      add_others(query, source);
      append(rows.pairs, walks.cross(node(q.self[source]), node(q.self[query])));
    }
  }
  return rows;
}

bool near(const std::vector<float>& got, const std::vector<float>& want) {
  return std::equal(got.begin(), got.end(), want.begin(), want.end(),
                    [](float a, float b) { return std::abs(a - b) < 1e-5F; });
}

}  // namespace

TEST_CASE("plans have the products of walks strictly before each event, in any batches") {
  const SmallEvents small = drawn_events(70, 4, 21);
  const EventView events = small.view();
  const TemporalCsr neighbors(small.sources, small.destinations, small.num_nodes);
  PlannerOptions options;
  options.has_memory = false;
  options.neighbors = kLastWalked;
  options.walks = true;
  for (const std::size_t batch : {1U, 7U, 70U}) {
    CAPTURE(batch);
    PairStream pairs(walk_options(), events);
    StepPlanner planner(events, neighbors, options);
    planner.use(&pairs);
    StepPlan plan;
    for (std::size_t begin = 0; begin < small.sources.size(); begin += batch) {
      std::vector<EventId> ids(std::min(batch, small.sources.size() - begin));
      std::iota(ids.begin(), ids.end(), static_cast<EventId>(begin));
      std::vector<NodeId> others;
      for (const EventId event : ids) {
        others.push_back(static_cast<NodeId>(8 + event % 4));
        others.push_back(small.sources[event]);
      }
      planner.plan(ids, others, StepKind::queries_and_updates, plan);
      const WalkRows want = expected_rows(plan, events, ids);
      CHECK(plan.pair_dim == 0);
      CHECK(near(plan.walks.nodes, want.nodes));
      CHECK(near(plan.walks.neighbors, want.neighbors));
      CHECK(near(plan.walks.ends, want.ends));
      CHECK(near(plan.walks.others, want.others));
      CHECK(near(plan.walks.pairs, want.pairs));
    }
    CHECK(*std::max_element(plan.walks.others.begin(), plan.walks.others.end()) > 1);
  }
}
