#include "tools/tgn-train/memory/static_step.h"

#include <doctest/doctest.h>

#include <numeric>
#include <set>

#include "tests/tools/tgn-train/memory/random_stream.h"
#include "tools/tgn-train/memory/step_planner.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// What a query or a local node looks at: neighbours and the events that made them such.
using Neighbors = std::multiset<std::pair<NodeId, EventId>>;

Neighbors neighbors_of_query(const StepPlan& plan, std::size_t query) {
  const QueryRows& q = plan.layers[0];
  Neighbors all;
  for (std::uint32_t e = q.offsets[query]; e < q.offsets[query + 1]; ++e) {
    all.emplace(plan.node_of_slot[q.neighbors[e]], q.events[e]);
  }
  return all;
}

Neighbors neighbors_of_local(const StaticStep& step, std::uint32_t local) {
  const std::size_t edges = step.edge_events.size();
  Neighbors all;
  for (std::size_t e = 0; e < edges; ++e) {
    if (step.edges[edges + e] == local) {
      all.emplace(step.nodes[step.edges[e]], step.edge_events[e]);
    }
  }
  return all;
}

/// Whether no later message of the events goes to the node of that end.
bool is_last(const RandomStream& s, std::span<const EventId> events, std::size_t i, bool source) {
  const NodeId node = source ? s.sources[events[i]] : s.destinations[events[i]];
  if (source && s.destinations[events[i]] == node) return false;
  for (std::size_t j = i + 1; j < events.size(); ++j) {
    if (s.sources[events[j]] == node || s.destinations[events[j]] == node) return false;
  }
  return true;
}

void check_step(const StaticStep& step, const StepPlan& plan, const RandomStream& s,
                std::span<const EventId> events) {
  const std::size_t n = events.size();
  REQUIRE(step.triples.size() == 3 * n);
  REQUIRE(step.edges.size() == 2 * step.edge_events.size());
  for (std::size_t i = 0; i < n; ++i) {
    const NodeId asked[3] = {s.sources[events[i]], s.destinations[events[i]],
                             s.negatives[events[i]]};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t local = step.triples[k * n + i];
      REQUIRE(local < step.nodes.size());
      CHECK(step.nodes[local] == asked[k]);
      CHECK(neighbors_of_local(step, local) == neighbors_of_query(plan, 3 * i + k));
    }
    for (std::size_t k = 0; k < 2; ++k) {
      CHECK((step.most_recent[k * n + i] != 0) == is_last(s, events, i, k == 0));
    }
  }
  // No two local nodes are alike.
  std::set<std::pair<NodeId, Neighbors>> different;
  for (std::uint32_t local = 0; local < step.nodes.size(); ++local) {
    const Neighbors neighbors = neighbors_of_local(step, local);
    if (!neighbors.empty()) CHECK(different.emplace(step.nodes[local], neighbors).second);
  }
}

}  // namespace

TEST_CASE("a step of fixed shapes has the nodes, neighbours and last messages of its plan") {
  for (const NeighborSampling sampling : {NeighborSampling::recent, NeighborSampling::uniform}) {
    const RandomStream s({.events = 300, .nodes = 20, .equal_times = 0.6}, {}, 4);
    PlannerOptions options;
    options.mode = MemoryMode::exact;
    options.rules = Rules::pyg;
    options.neighbors = 4;
    options.sampling = sampling;
    StepPlanner planner(s.view(), s.neighbors, options);
    StepPlan plan;
    bool several = false;
    for (EventId begin = 0; begin < s.size(); begin += 25) {
      std::vector<EventId> events(25);
      std::iota(events.begin(), events.end(), begin);
      const std::span<const NodeId> others(s.negatives.data() + begin, 25);
      planner.plan(events, others, StepKind::queries_and_updates, plan);
      const StaticStep step = StaticStep::of(plan, events, s.view());
      check_step(step, plan, s, events);
      several |= std::set(step.nodes.begin(), step.nodes.end()).size() != step.nodes.size();
    }
    // Batches end between events of one time, whose nodes see less than the others.
    CHECK(several);
  }
}
