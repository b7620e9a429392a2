#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/graph/temporal_csr.h"
#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/history/common_neighbors.h"
#include "tools/tgn-train/history/time_scale.h"
#include "tools/tgn-train/history/walk_products.h"
#include "tools/tgn-train/memory/memory_options.h"
#include "tools/tgn-train/memory/pair_stream.h"
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
  /// Mode exact: a node's messages in a batch are averaged. Otherwise only the last one counts.
  bool mean_messages = false;
  TimeScale time;
  bool dyrep = false;   ///< requires MemoryMode::exact
  bool walks = false;   ///< plans have WalkRows instead of features of pairs
  bool common = false;  ///< plans have CommonRows
  /// Number of edge types: the features of a pair end with the type that is asked about, a 1 in its
  /// column. 0: none.
  std::size_t types = 0;
  /// True if StepEvents::shares_rows has an effect: there is one layer, whose rows depend neither
  /// on the time of the query nor on its place in the event.
  bool can_share_rows = false;

  /// Values of UpdateRows::kept and time_learns in all plans.
  bool keeps_as_made() const { return mode == MemoryMode::exact && rules != Rules::pyg; }
  bool time_learns() const { return mode == MemoryMode::read || rules == Rules::pyg; }
};

/// Whether a step queries its events, applies them to the memory, or both.
enum class StepKind : std::uint8_t { queries_and_updates, queries, updates };

/// Seed of neighbour draws (NeighborSampling::uniform) in evaluation.
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
  /// True if queries that read equal inputs share a row of the layer
  /// (PlannerOptions::can_share_rows). Such a plan is not for training.
  bool shares_rows = false;
};

/// Turns events into the rows that a step computes (versioned window scheduling). A plan says which
/// version of each node's memory every event sees, and which updates make these versions. It orders
/// the updates so that as many as possible run in parallel, and lists the neighbours of each query.
/// Planning depends on the events only, not on numbers that the network computes, so plans can be
/// made ahead.
class StepPlanner {
 public:
  /// events, neighbours: of equally many nodes; they must outlive the planner.
  StepPlanner(const EventView& events, const TemporalNeighbors& neighbors,
              const PlannerOptions& options);
  /// From now on plans include features of pairs, or products of walks. The planner adds the events
  /// it plans to this history.
  void use(PairStream* pairs) { pairs_ = pairs; }

  /// Returns to the beginning of the stream. PlannerOptions::refresh has an effect only if weights
  /// learn, as in a new planner.
  void reset(Weights weights = Weights::learn);
  /// Declares the weights fixed from now on.
  void fix_weights() { learns_ = false; }
  /// True in window mode if reading a node repeats its last update (PlannerOptions::refresh).
  bool updates_again() const { return in_turn() && evaluates_late(); }
  /// Plans a step that repeats the last update of nodes [begin, end) and stores the results as
  /// their states.
  void plan_last_updates(NodeId begin, NodeId end, StepPlan& plan);
  const EventView& events() const { return events_; }
  bool can_share_rows() const { return options_.can_share_rows; }
  /// Replaces the neighbours by others of as many nodes.
  void use(const TemporalNeighbors& neighbors) { neighbors_ = &neighbors; }
  /// Replaces the events after the stream has grown. Events known so far keep their numbers, or
  /// set_past() gives their new ones. There may be more nodes.
  void use(const EventView& events);
  /// Sets the seed of neighbour draws. A draw is a function of the seed, the event and the query's
  /// place in the event.
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

  /// A node at a time that is not before the events planned so far.
  struct NodeQuery {
    NodeId node = 0;
    EventTime time;
  };
  /// Plans a step that embeds these nodes. Their `since` is normalised as for destinations.
  void plan_nodes(std::span<const NodeQuery> nodes, StepPlan& plan);

  /// The planner's state: for each node its last event and the one before it.
  struct Past {
    Array<EventId> last, previous;
  };
  Past past() const { return {last_.clone(), previous_.clone()}; }
  void set_past(const Past& past);

 private:
  /// Where a node's memory is in the present plan.
  struct Place {
    std::uint32_t plan = 0;  ///< number of the plan that this place belongs to
    std::uint32_t slot = 0;
    std::uint32_t store = kNoRow;  ///< its row of StepPlan::stores
    bool passed = false;           ///< last_ is already an event of the present batch
    std::uint32_t query = kNoRow;  ///< its last row of the layer, if queries share rows
  };
  /// A message to the node that a store belongs to. other: as in MessageRows.
  struct Message {
    std::uint32_t store = 0, other = 0;
    EventId event = 0;
    double dt = 0;
  };
  bool is_pyg() const { return options_.rules == Rules::pyg; }
  bool in_turn() const { return options_.mode == MemoryMode::window; }
  /// True if a node's last message is evaluated when the node is read, not when its event is
  /// applied.
  bool evaluates_late() const {
    return !in_turn() || (learns_ && options_.refresh != RefreshKind::none);
  }
  /// True if stored messages contain the other node's memory as of the event. False under the pyg
  /// rules in batch modes, which read the other node's present memory.
  bool keeps_messages() const { return evaluates_late() && (in_turn() || !is_pyg()); }
  std::uint32_t new_slot(NodeId node, std::uint32_t level);
  std::uint32_t slot_of(NodeId node);
  std::uint32_t load(NodeId node);
  /// Returns the slot of the state that the update makes.
  std::uint32_t add_update(NodeId node, std::uint32_t own, std::uint32_t other, EventId event,
                           EventId before);
  /// Time of a query, and the first event that it does not see as a neighbour.
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
  std::uint32_t add_shared_query(NodeId node, const Moment& now);
  std::span<const TemporalNeighbor> find_neighbors(std::size_t layer, NodeId node, EventId limit);
  void begin_draws(std::uint64_t event, std::uint64_t place) {
    draws_ = Rng(draw_seed_, hash_combine(event, place));
  }
  void add_pairs(EventId event, std::span<const NodeId> others);
  void add_walks(EventId event, std::span<const NodeId> others);
  void add_common(EventId event, EventId limit, std::span<const NodeId> others);
  void shift_since(std::size_t row, std::size_t kind);
  void add_queries(EventId event, const Moment& now, std::span<const NodeId> others);
  void add_shared_queries(EventId event, const Moment& now, std::span<const NodeId> others);
  void add_answers(EventId event, std::span<const NodeId> others);
  void update_in_turn(std::span<const EventId>& events, EventId end);
  void update_in_turn(EventId event);
  /// A message of a batch: the number of its event in the batch, and whether it goes to the source.
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
  Array<EventId> last_, previous_;  ///< [nodes] the last event of each node and the one before
  Array<Place> places_;             ///< [nodes]
  std::uint32_t plan_number_ = 0;
  std::uint64_t draw_seed_ = kEvaluationDraws;
  bool learns_ = true;

  // Working memory of plan(), for the present plan.
  StepPlan* plan_ = nullptr;
  std::vector<std::uint32_t> level_of_slot_, update_of_slot_;  ///< [slots]
  std::vector<std::uint32_t> level_of_update_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> next_of_level_;
  Rng draws_{0};                                      ///< for the present query
  std::vector<std::vector<TemporalNeighbor>> drawn_;  ///< one for each layer
  UpdateRows sorted_;
  std::vector<NodeId> candidates_;
  std::vector<float> candidate_pairs_;
  WalkProducts products_;
  Surroundings of_source_, of_destination_;
  std::vector<NodeId> common_;
};

}  // namespace frugal::tgn
