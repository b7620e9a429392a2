#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/memory/memory_options.h"
#include "tools/tgn-train/memory/pair_stream.h"
#include "tools/tgn-train/memory/time_scale.h"
#include "tools/tgn-train/network/step_plan.h"
#include "tools/tgn-train/network/tgn_options.h"

namespace frugal::tgn {

struct PlannerOptions {
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;
  Rules rules = Rules::twitter;
  bool has_memory = true;
  bool has_neighbors = true;
  std::size_t layers = 1;
  std::size_t neighbors = 10;
  NeighborSampling sampling = NeighborSampling::recent;
  /// A node's messages of a batch are averaged where they are kept as they were made (exact); else
  /// the last counts.
  bool mean_messages = false;
  TimeScale time;
  bool dyrep = false;  ///< with MemoryMode::exact

  /// UpdateRows::kept and time_learns of all plans.
  bool keeps_as_made() const { return mode == MemoryMode::exact && rules != Rules::pyg; }
  bool time_learns() const { return mode == MemoryMode::read || rules == Rules::pyg; }
};

/// Which events a plan's queries ask about, and which become known to the memory.
enum class StepKind : std::uint8_t { queries_and_updates, queries, updates };

/// What neighbours are drawn by where nothing is trained.
inline constexpr std::uint64_t kEvaluationDraws = 0;

/// The events of a step, ascending. Two kinds of memory apply them at different times:
///
///     events       0 1 2 | 3 4 5 | 6 7 8       the step's queries: 6 7 8
///     window mode  update 3 4 5, query 6, update 6, query 7, update 7, query 8: each query sees
///                  all events before it (Ties decides about events at its own time)
///     batch modes  query 6 7 8, all with the memory after event 5; then update 6 7 8
///
struct StepEvents {
  std::span<const EventId> queries;  ///< events that the queries ask about
  /// Destinations of events that did not happen (negatives), equally many for each query's event.
  std::span<const NodeId> others;
  /// Events whose updates the memory applies in this step. Window mode: all events up to the
  /// queries' that were not applied before. Batch modes: none, or the events of one window, which
  /// are applied after all queries.
  std::span<const EventId> updates;
  /// Batch modes: the first event that the memory has not applied before the step.
  EventId window_begin = 0;
  /// Window mode: what queries see of events at their own time.
  Ties ties = Ties::order;
  /// True if the history of pairs includes the events from the next step on.
  bool happened = true;
};

/// Turns events into the rows that a step works on (versioned window scheduling): which version of
/// each node's memory every event sees, which updates make these versions and in which order they
/// can be made side by side, and the neighbours strictly before. Knows the stream's past by the
/// events alone, not by any number that the network computes: plans can be made ahead.
class StepPlanner {
 public:
  /// The events and neighbours, of as many nodes, outlive the planner.
  StepPlanner(const EventView& events, const TemporalNeighbors& neighbors,
              const PlannerOptions& options);
  /// From now on plans have features of pairs by this history, which goes on with their events.
  void use(PairStream* pairs) { pairs_ = pairs; }

  /// Forgets all events. PlannerOptions::refresh is for weights that learn, as those of a new
  /// planner.
  void reset(Weights weights = Weights::learn);
  /// From now on weights are fixed.
  void fix_weights() { learns_ = false; }
  /// Whether the last update of nodes, by events in turn, is made again when they are looked at.
  bool updates_again() const { return in_turn() && evaluates_late(); }
  /// The step that does so for nodes [begin, end), and keeps what it makes as their state.
  void plan_last_updates(NodeId begin, NodeId end, StepPlan& plan);
  const EventView& events() const { return events_; }
  /// From now on these are the neighbours, of as many nodes.
  void use(const TemporalNeighbors& neighbors) { neighbors_ = &neighbors; }
  /// From now on these are the events of the stream, which has grown: those known so far have their
  /// numbers, or new ones that set_past() tells; there may be more nodes.
  void use(const EventView& events);
  /// Neighbours that are drawn are drawn by this from now on: a function of it, the event and the
  /// query's place in it alone.
  void draw_by(std::uint64_t seed) { draw_seed_ = seed; }
  /// Plans the step of these events, which follow all events planned before. Each event queries
  /// its source, its destination and its others.
  void plan(const StepEvents& step, StepPlan& plan);
  /// Plans a batch that is a window of its own. In window mode, each event sees all before it.
  /// batch_begin: the first of the events that the memory applies together, if `events` are only
  /// some of them.
  void plan(std::span<const EventId> events, std::span<const NodeId> others, StepKind kind,
            StepPlan& plan, EventId batch_begin = kNoEvent);

  /// False if plans have features of pairs: a PairStream cannot go back.
  bool can_take_back() const { return pairs_ == nullptr; }
  /// Undoes the most recent plan() that was not undone. Requires can_take_back().
  void take_back(const StepPlan& plan);
  /// Skips events: nodes count them as their last ones, but they never update the memory.
  void pass(std::span<const EventId> events);

  /// A node at a time, which the planner has not passed.
  struct NodeQuery {
    NodeId node = 0;
    EventTime time;
  };
  /// The step that embeds nodes: its queries are these. They have the time shift of destinations.
  void plan_nodes(std::span<const NodeQuery> nodes, StepPlan& plan);

  /// What the planner knows of the past: of each node its last event and the one before.
  struct Past {
    Array<EventId> last, previous;
  };
  Past past() const { return {last_.clone(), previous_.clone()}; }
  void set_past(const Past& past);

 private:
  /// Where a node's memory is in the plan in work.
  struct Place {
    std::uint32_t plan = 0;  ///< number of the plan that has it
    std::uint32_t slot = 0;
    std::uint32_t store = kNoRow;  ///< its row of StepPlan::stores
    bool passed = false;           ///< one of the batch's events is its last
  };
  /// A message to the node of a store. other: as in MessageRows.
  struct Message {
    std::uint32_t store = 0, other = 0;
    EventId event = 0;
    double dt = 0;
  };
  bool is_pyg() const { return options_.rules == Rules::pyg; }
  bool in_turn() const { return options_.mode == MemoryMode::window; }
  /// A node's last message is evaluated when the node is looked at.
  bool evaluates_late() const {
    return !in_turn() || (learns_ && options_.refresh != RefreshKind::none);
  }
  /// Whose other node's memory is that of then, which memory keeps.
  bool keeps_messages() const { return evaluates_late() && (in_turn() || !is_pyg()); }
  std::uint32_t new_slot(NodeId node, std::uint32_t level);
  std::uint32_t slot_of(NodeId node);
  std::uint32_t load(NodeId node);
  /// Returns the slot of the state that the update makes.
  std::uint32_t add_update(NodeId node, std::uint32_t own, std::uint32_t other, EventId event,
                           EventId before);
  /// When a query asks: it sees events before `limit` as neighbours.
  struct Moment {
    EventTime time;
    EventId limit = 0;
  };
  void begin(StepPlan& plan);
  void finish();
  void fetch_ahead(const StepEvents& step, std::size_t i, EventId limit) const;
  void fetch_node(NodeId node) const;
  void fetch_neighbors(NodeId node, EventId limit) const;
  Moment moment_of(EventId event, const StepEvents& step) const;
  std::uint32_t add_query(std::size_t layer, NodeId node, const Moment& now);
  std::span<const TemporalNeighbor> find_neighbors(std::size_t layer, NodeId node, EventId limit);
  void begin_draws(std::uint64_t event, std::uint64_t place) {
    draws_ = Rng(draw_seed_, hash_combine(event, place));
  }
  void add_pairs(EventId event, std::span<const NodeId> others);
  void shift_since(std::size_t row, std::size_t kind);
  void add_queries(EventId event, const Moment& now, std::span<const NodeId> others);
  void add_answers(EventId event, std::span<const NodeId> others);
  void update_in_turn(std::span<const EventId>& events, EventId end);
  void update_in_turn(EventId event);
  /// Which message of a batch: its event's number there.
  struct MessageOf {
    std::size_t number = 0;
    bool to_source = false;
  };
  template <class Visit>
  void for_each_message(std::span<const EventId> events, const Visit& visit) const;
  void update_as_batch(std::span<const EventId> events);
  template <class Time>
  double elapsed(EventId from, Time to) const {
    return options_.time.scaled(events_.times.between(from, to));
  }
  double time_of_neighbor(const TemporalNeighbor& neighbor, EventTime now) const;
  void store(NodeId node, std::uint32_t slot, const Message& message);
  void set_messages();
  void pass_event(NodeId node, EventId event);
  void sort_updates();
  void set_gradient_rows();

  EventView events_;
  const TemporalNeighbors* neighbors_;
  PairStream* pairs_ = nullptr;
  PlannerOptions options_;
  Array<EventId> last_, previous_;  ///< [nodes] their last events and the ones before
  Array<Place> places_;             ///< [nodes]
  std::uint32_t plan_number_ = 0;
  std::uint64_t draw_seed_ = kEvaluationDraws;
  bool learns_ = true;

  // Of the plan in work.
  StepPlan* plan_ = nullptr;
  std::vector<std::uint32_t> level_of_slot_, update_of_slot_;  ///< [slots]
  std::vector<std::uint32_t> level_of_update_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> next_of_level_;
  Rng draws_{0};                                      ///< of the query in work
  std::vector<std::vector<TemporalNeighbor>> drawn_;  ///< one for each layer
  UpdateRows sorted_;
  std::vector<NodeId> candidates_;
};

}  // namespace frugal::tgn
