// What plans look at; what comes of it is in stream_test.cpp.
#include "tools/tgn-train/memory/step_planner.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "tests/tools/tgn-train/memory/random_stream.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

struct Entry {
  NodeId node;
  EventId event;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// The last `most` entries of a node strictly before the time of `event`, by looking at all events.
std::vector<Entry> last_before(const RandomStream& s, NodeId node, EventId event,
                               std::size_t most) {
  std::vector<Entry> all;
  for (EventId e = 0; e < s.size(); ++e) {
    if (!(s.time(e) < s.time(event))) continue;
    if (s.sources[e] == node) all.push_back({s.destinations[e], e});
    if (s.destinations[e] == node) all.push_back({s.sources[e], e});
  }
  if (all.size() > most) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(most));
  return all;
}

/// The last event of a node before that one in the stream, or kNoEvent.
EventId last_of(const RandomStream& s, NodeId node, EventId before) {
  for (EventId e = before; e-- > 0;) {
    if (s.sources[e] == node || s.destinations[e] == node) return e;
  }
  return kNoEvent;
}

double since(const RandomStream& s, EventId last, EventId event) {
  return s.time(event) - s.time(last == kNoEvent ? 0 : last);
}

/// What a row of a layer stands for: the node of the slot at the bottom.
std::uint32_t slot_below(const StepPlan& plan, std::size_t layer, std::uint32_t row) {
  return layer == 0 ? row : slot_below(plan, layer - 1, plan.layers[layer - 1].self[row]);
}

/// A node at the time of an event.
struct Asked {
  NodeId node;
  EventId event;
};
constexpr std::size_t kMost = 3;  ///< neighbours

/// Checks query r of the layer above `layer` and those below it.
void check_query(const StepPlan& plan, const RandomStream& s, std::size_t layer, std::uint32_t r,
                 Asked asked) {
  const QueryRows& q = plan.layers[layer];
  REQUIRE(plan.node_of_slot[slot_below(plan, layer, q.self[r])] == asked.node);
  const std::vector<Entry> want = last_before(s, asked.node, asked.event, kMost);
  std::vector<Entry> got;
  for (std::size_t e = q.offsets[r]; e < q.offsets[r + 1]; ++e) {
    const NodeId neighbor = plan.node_of_slot[slot_below(plan, layer, q.neighbors[e])];
    got.push_back({neighbor, q.events[e]});
    CHECK(q.dt[e] == s.time(asked.event) - s.time(q.events[e]));
    CHECK(q.dt[e] > 0);
    if (layer != 0) check_query(plan, s, layer - 1, q.neighbors[e], {neighbor, asked.event});
  }
  CHECK(got == want);
  if (layer != 0) check_query(plan, s, layer - 1, q.self[r], asked);
}

/// The update that makes the slot, or kNoRow.
std::uint32_t update_of(const StepPlan& plan, std::uint32_t slot) {
  const auto& out = plan.updates.out;
  const auto found = std::find(out.begin(), out.end(), slot);
  return found == out.end() ? kNoRow : static_cast<std::uint32_t>(found - out.begin());
}

bool is_loaded(const StepPlan& plan, std::uint32_t slot) {
  return std::any_of(plan.loads.begin(), plan.loads.end(),
                     [&](const MemoryLoad& l) { return l.row == slot; });
}

/// A window's slot that an event sees holds the node's state after its last event before that one.
void check_version(const StepPlan& plan, const RandomStream& s, std::uint32_t slot, EventId event,
                   EventId step_begin) {
  const NodeId node = plan.node_of_slot[slot];
  const EventId last = last_of(s, node, event);
  const std::uint32_t update = update_of(plan, slot);
  if (last == kNoEvent) {
    CHECK(update == kNoRow);
    CHECK(!is_loaded(plan, slot));
  } else if (last < step_begin) {
    CHECK(update == kNoRow);
    CHECK(is_loaded(plan, slot));
  } else {
    REQUIRE(update != kNoRow);
    CHECK(plan.updates.event[update] == last);
  }
}

/// Updates read what was made on lower levels, of their event's past.
void check_updates(const StepPlan& plan, const RandomStream& s, EventId step_begin) {
  const UpdateRows& u = plan.updates;
  REQUIRE(u.level_begin.back() == u.size());
  for (std::size_t level = 0; level + 1 < u.level_begin.size(); ++level) {
    for (std::size_t i = u.level_begin[level]; i < u.level_begin[level + 1]; ++i) {
      const NodeId node = plan.node_of_slot[u.out[i]];
      REQUIRE((s.sources[u.event[i]] == node || s.destinations[u.event[i]] == node));
      CHECK(plan.node_of_slot[u.own[i]] == node);
      CHECK(u.dt[i] == since(s, last_of(s, node, u.event[i]), u.event[i]));
      for (const std::uint32_t from : {u.own[i], u.other[i]}) {
        const std::uint32_t made_by = update_of(plan, from);
        CHECK((made_by == kNoRow || made_by < u.level_begin[level]));
        check_version(plan, s, from, u.event[i], step_begin);
      }
    }
  }
}

PlannerOptions options_of(MemoryMode mode, std::size_t layers) {
  PlannerOptions o;
  o.mode = mode;
  o.layers = layers;
  o.neighbors = kMost;
  return o;
}

RandomStream make_stream(std::size_t events, double equal_times, bool real_times) {
  StreamShape shape;
  shape.events = events;
  shape.equal_times = equal_times;
  shape.real_times = real_times;
  return {shape, {}, 2};
}

std::vector<EventId> range(std::size_t begin, std::size_t end) {
  std::vector<EventId> events(end - begin);
  std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
  return events;
}

/// Two other nodes of each event.
std::vector<NodeId> others_of(const std::vector<EventId>& events, const RandomStream& s) {
  std::vector<NodeId> others;
  for (const EventId e : events) {
    others.push_back(s.negatives[e]);
    others.push_back(static_cast<NodeId>((s.negatives[e] + 5) % s.num_nodes()));
  }
  return others;
}

/// Calls check(plan, events, others) for steps of several sizes.
template <class Check>
void for_each_plan(const RandomStream& s, const PlannerOptions& options, const Check& check) {
  for (const std::size_t size : {1U, 9U, 50U}) {
    CAPTURE(size);
    StepPlanner planner(s.view(), s.neighbors, options);
    StepPlan plan;
    for (std::size_t begin = 0; begin < s.size(); begin += size) {
      const auto events = range(begin, std::min(s.size(), begin + size));
      const auto others = others_of(events, s);
      planner.plan(events, others, StepKind::queries_and_updates, plan);
      check(plan, events, others);
    }
  }
}

bool operator==(const StepPlan& a, const StepPlan& b) {
  const auto &u = a.updates, &v = b.updates;
  bool same = a.num_slots == b.num_slots && a.node_of_slot == b.node_of_slot && u.own == v.own &&
              u.other == v.other && u.event == v.event && u.dt == v.dt && u.out == v.out &&
              u.level_begin == v.level_begin && a.layers.size() == b.layers.size() &&
              a.messages.other == b.messages.other && a.messages.event == b.messages.event &&
              a.messages.dt == b.messages.dt && a.stores.size() == b.stores.size() &&
              a.loads.size() == b.loads.size();
  for (std::size_t k = 0; same && k < a.layers.size(); ++k) {
    const QueryRows &p = a.layers[k], &q = b.layers[k];
    same = p.self == q.self && p.since == q.since && p.offsets == q.offsets &&
           p.neighbors == q.neighbors && p.events == q.events && p.dt == q.dt;
  }
  return same;
}

}  // namespace

TEST_CASE("neighbours are the last ones strictly before, never of the future") {
  for (const double equal_times : {0.0, 0.4, 0.97}) {
    for (const bool real_times : {false, true}) {
      for (const std::size_t layers : {1U, 2U}) {
        const RandomStream s = make_stream(layers == 1 ? 120 : 60, equal_times, real_times);
        for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact}) {
          for_each_plan(s, options_of(mode, layers),
                        [&](const StepPlan& plan, const auto& events, const auto& others) {
                          REQUIRE(plan.layers.back().size() == 4 * events.size());
                          for (std::size_t i = 0; i < events.size(); ++i) {
                            const NodeId nodes[] = {s.sources[events[i]], s.destinations[events[i]],
                                                    others[2 * i], others[2 * i + 1]};
                            for (std::uint32_t k = 0; k < 4; ++k) {
                              const auto row = static_cast<std::uint32_t>(4 * i + k);
                              check_query(plan, s, layers - 1, row, {nodes[k], events[i]});
                            }
                          }
                        });
        }
      }
    }
  }
}

TEST_CASE("in a window every event sees the memory after all events before it") {
  for (const double equal_times : {0.0, 0.5}) {
    const RandomStream s = make_stream(150, equal_times, false);
    for_each_plan(
        s, options_of(MemoryMode::window, 1),
        [&](const StepPlan& plan, const auto& events, const auto&) {
          const QueryRows& q = plan.layers[0];
          for (std::size_t r = 0; r < q.size(); ++r) {
            const EventId event = events[r / 4];
            check_version(plan, s, q.self[r], event, events[0]);
            CHECK(q.since[r] == since(s, last_of(s, plan.node_of_slot[q.self[r]], event), event));
            for (std::size_t e = q.offsets[r]; e < q.offsets[r + 1]; ++e) {
              check_version(plan, s, q.neighbors[e], event, events[0]);
            }
          }
          check_updates(plan, s, events[0]);
          for (const MemoryStore& store : plan.stores) {
            check_version(plan, s, store.slot, events.back() + 1, events[0]);
          }
        });
  }
}

TEST_CASE("a planner that is told the past of another plans on alike") {
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact, MemoryMode::read}) {
    const RandomStream s = make_stream(80, 0.4, false);
    StepPlanner planner(s.view(), s.neighbors, options_of(mode, 1));
    StepPlanner other(s.view(), s.neighbors, options_of(mode, 1));
    StepPlan plan, of_other;
    const auto first = range(0, 37), second = range(37, 80);
    planner.plan(first, others_of(first, s), StepKind::queries_and_updates, plan);
    other.plan(second, others_of(second, s), StepKind::queries_and_updates, of_other);
    other.reset();
    other.set_past(planner.past());
    planner.plan(second, others_of(second, s), StepKind::queries_and_updates, plan);
    CHECK(!(plan == of_other));
    other.plan(second, others_of(second, s), StepKind::queries_and_updates, of_other);
    CHECK(plan == of_other);
  }
}

TEST_CASE("queries alone are forgotten, updates alone are remembered") {
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact, MemoryMode::read}) {
    const RandomStream s = make_stream(80, 0.4, false);
    StepPlanner planner(s.view(), s.neighbors, options_of(mode, 1));
    StepPlanner other(s.view(), s.neighbors, options_of(mode, 1));
    StepPlan plan, of_other;
    const auto first = range(0, 37), second = range(37, 80);
    planner.plan(first, others_of(first, s), StepKind::queries_and_updates, plan);
    other.plan(first, {}, StepKind::updates, of_other);
    CHECK(of_other.layers[0].size() == 0);
    CHECK(of_other.stores.size() == plan.stores.size());
    other.plan(second, others_of(second, s), StepKind::queries, of_other);
    CHECK(of_other.stores.empty());
    planner.plan(second, others_of(second, s), StepKind::queries_and_updates, plan);
    other.plan(second, others_of(second, s), StepKind::queries_and_updates, of_other);
    CHECK(plan == of_other);
  }
}

TEST_CASE("a plan that is taken back leaves no trace") {
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact, MemoryMode::read}) {
    const RandomStream s = make_stream(120, 0.4, false);
    StepPlanner planner(s.view(), s.neighbors, options_of(mode, 1));
    StepPlanner undisturbed(s.view(), s.neighbors, options_of(mode, 1));
    StepPlan plan, want, ahead;
    for (EventId begin = 0; begin < 80; begin += 20) {
      const auto events = range(begin, begin + 20);
      planner.plan(events, others_of(events, s), StepKind::queries_and_updates, ahead);
      planner.take_back(ahead);
      planner.plan(events, others_of(events, s), StepKind::queries_and_updates, plan);
      undisturbed.plan(events, others_of(events, s), StepKind::queries_and_updates, want);
      CHECK(plan == want);
    }
  }
}

TEST_CASE("events that are passed are a node's last ones as those of steps of one") {
  const RandomStream s = make_stream(120, 0.4, false);
  StepPlanner planner(s.view(), s.neighbors, options_of(MemoryMode::read, 1));
  StepPlanner stepped(s.view(), s.neighbors, options_of(MemoryMode::read, 1));
  StepPlan plan, want;
  planner.pass(range(0, 70));
  for (EventId e = 0; e < 70; ++e) stepped.plan(range(e, e + 1), {}, StepKind::updates, want);
  const auto rest = range(70, 120);
  planner.plan(rest, others_of(rest, s), StepKind::queries_and_updates, plan);
  stepped.plan(rest, others_of(rest, s), StepKind::queries_and_updates, want);
  CHECK(plan == want);
}
