// Common neighbours in plans, against sets that are found by looking through all events.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "libcore/graph/temporal_csr.h"
#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tools/tgn-train/memory/step_planner.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kLastOnes = 3, kCommonOthers = 2;
using Nodes = std::set<NodeId>;

/// The graph of the last events of every node that are strictly before an event, and whose numbers
/// are below `limit`.
class GraphBefore {
 public:
  GraphBefore(const EventView& events, EventId event, EventId limit)
      : events_(events), event_(event), limit_(limit) {}

  Nodes partners(NodeId node) const {
    Nodes found;
    std::size_t left = kLastOnes;
    for (EventId e = limit_; e-- > 0 && left != 0;) {
      if (events_.at_same_time(e, event_)) continue;
      if (events_.sources[e] == node) found.insert(events_.destinations[e]), --left;
      if (left != 0 && events_.destinations[e] == node) found.insert(events_.sources[e]), --left;
    }
    found.erase(node);
    return found;
  }
  /// Nodes that a walk of that many steps reaches from `node`, not by way of `other`.
  Nodes reached(NodeId node, std::size_t steps, NodeId other) const {
    const Nodes one = partners(node);
    if (steps == 1) return one;
    Nodes two;
    for (const NodeId via : one) {
      if (via == other) continue;
      for (const NodeId next : partners(via)) two.insert(next);
    }
    two.erase(node);
    return two;
  }

 private:
  const EventView& events_;
  EventId event_, limit_;
};

}  // namespace

TEST_CASE("plans have the common neighbours strictly before each event, or before its batch") {
  PlannerOptions options;
  bool before_batch = false;
  SUBCASE("window mode") {}
  SUBCASE("window mode, pyg rules") { options.rules = Rules::pyg; }
  SUBCASE("batches, twitter rules") { options.mode = MemoryMode::exact; }
  SUBCASE("batches, pyg rules") {
    options.rules = Rules::pyg;
    options.mode = MemoryMode::exact;
    before_batch = true;
  }
  SUBCASE("messages that are made when read, pyg rules") {
    options.rules = Rules::pyg;
    options.mode = MemoryMode::read;
    before_batch = true;
  }
  // Every node can be a source and a destination.
  SmallEvents small = drawn_events(150, 5, 21);
  Rng rng(4);
  for (std::size_t e = 0; e < small.sources.size(); e += 3) {
    small.destinations[e] = static_cast<NodeId>(rng.below(8));
  }
  const EventView events = small.view();
  const TemporalCsr neighbors(small.sources, small.destinations, small.num_nodes);
  options.neighbors = kLastOnes;
  options.common = true;
  std::size_t seen[CommonRows::kLists] = {}, updated = 0;
  for (const std::size_t batch : {1U, 7U, 150U}) {
    CAPTURE(batch);
    StepPlanner planner(events, neighbors, options);
    StepPlan plan;
    for (std::size_t begin = 0; begin < small.sources.size(); begin += batch) {
      std::vector<EventId> ids(std::min(batch, small.sources.size() - begin));
      std::iota(ids.begin(), ids.end(), static_cast<EventId>(begin));
      std::vector<NodeId> others;
      for (const EventId event : ids) {
        others.push_back(static_cast<NodeId>(8 + event % 5));
        others.push_back(small.sources[event]);
      }
      planner.plan(ids, others, StepKind::queries_and_updates, plan);
      const CommonRows& rows = plan.common;
      REQUIRE(rows.pairs() == ids.size() * (1 + kCommonOthers));
      for (std::size_t p = 0; p < rows.pairs(); ++p) {
        const std::size_t number = p % (1 + kCommonOthers);
        const EventId event = ids[p / (1 + kCommonOthers)];
        const GraphBefore graph(events, event, before_batch ? ids[0] : event);
        const NodeId u = small.sources[event];
        const NodeId v = number == 0 ? small.destinations[event]
                                     : others[p / (1 + kCommonOthers) * 2 + number - 1];
        CHECK(rows.source_met[p] == graph.partners(v).count(u));
        CHECK(rows.destination_met[p] == graph.partners(u).count(v));
        for (std::size_t list = 0; list < CommonRows::kLists; ++list) {
          const Nodes of_u = graph.reached(u, 1 + list / 2, v),
                      of_v = graph.reached(v, 1 + list % 2, u);
          Nodes want;
          std::set_intersection(of_u.begin(), of_u.end(), of_v.begin(), of_v.end(),
                                std::inserter(want, want.end()));
          want.erase(u);
          want.erase(v);
          Nodes got;
          const std::size_t at = p * CommonRows::kLists + list;
          for (std::size_t i = rows.offsets[at]; i < rows.offsets[at + 1]; ++i) {
            got.insert(plan.node_of_slot[rows.slots[i]]);
            const auto out =
                std::find(plan.updates.out.begin(), plan.updates.out.end(), rows.slots[i]);
            const bool made = out != plan.updates.out.end();
            updated += made ? 1 : 0;
            CHECK(rows.gradient[i] ==
                  (made ? static_cast<std::uint32_t>(out - plan.updates.out.begin()) : kNoRow));
          }
          CHECK(got == want);
          CHECK(rows.offsets[at + 1] - rows.offsets[at] == want.size());
          seen[list] += want.size();
        }
      }
    }
  }
  for (const std::size_t count : seen) CHECK(count > 20);
  CHECK(updated > 20);
  // No plan has any where the decoder reads none.
  options.common = false;
  StepPlanner planner(events, neighbors, options);
  StepPlan plan;
  planner.plan(std::vector<EventId>{0, 1}, std::vector<NodeId>{8, 9}, StepKind::queries, plan);
  CHECK(plan.common.pairs() == 0);
}
