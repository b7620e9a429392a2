#include "tools/tgn-train/memory/step_planner.h"

#include <algorithm>
#include <cassert>

namespace frugal::tgn {

namespace {

/// Offset of the places of plan_nodes() queries in neighbour draws. It is above every place in an
/// event.
constexpr std::uint64_t kNodePlaces = std::uint64_t{1} << 40;

void clear(UpdateRows& rows) {
  rows.own.clear();
  rows.other.clear();
  rows.event.clear();
  rows.dt.clear();
  rows.out.clear();
  rows.level_begin.clear();
}

void clear(QueryRows& rows) {
  rows.self.clear();
  rows.since.clear();
  rows.offsets.assign(1, 0);
  rows.neighbors.clear();
  rows.events.clear();
  rows.dt.clear();
}

void clear(WalkRows& rows) {
  for (auto* const of : {&rows.nodes, &rows.neighbors, &rows.ends, &rows.others, &rows.pairs}) {
    of->clear();
  }
}

void clear(CommonRows& rows) {
  rows.source_met.clear();
  rows.destination_met.clear();
  rows.offsets.assign(1, 0);
  rows.slots.clear();
}

}  // namespace

StepPlanner::StepPlanner(const EventView& events, const TemporalNeighbors& neighbors,
                         const PlannerOptions& options)
    : events_(events),
      neighbors_(&neighbors),
      options_(options),
      last_(events.num_nodes, kNoEvent),
      previous_(events.num_nodes, kNoEvent),
      places_(events.num_nodes),
      drawn_(options.layers) {}

void StepPlanner::use(const EventView& events) {
  events_ = events;
  assert(events.num_nodes >= last_.size());
  if (events.num_nodes == last_.size()) return;
  const auto grow = [&](Array<EventId>& of_nodes) {
    Array<EventId> grown(events.num_nodes, kNoEvent);
    std::copy(of_nodes.begin(), of_nodes.end(), grown.begin());
    of_nodes = std::move(grown);
  };
  grow(last_);
  grow(previous_);
  places_ = Array<Place>(events.num_nodes);
  plan_number_ = 0;
}

void StepPlanner::reset(Weights weights) {
  learns_ = weights == Weights::learn;
  std::fill(last_.begin(), last_.end(), kNoEvent);
  std::fill(previous_.begin(), previous_.end(), kNoEvent);
}

void StepPlanner::begin(StepPlan& plan) {
  plan_ = &plan;
  ++plan_number_;
  plan.num_slots = 1;
  plan.node_of_slot.assign(1, 0);
  plan.loads.clear();
  plan.stores.clear();
  plan.answers.clear();
  plan.shared_rows.clear();
  plan.pairs.clear();
  plan.pair_dim = (pairs_ != nullptr && !options_.walks ? pairs_->dim() : 0) + options_.types;
  clear(plan.walks);
  clear(plan.common);
  plan.passed.clear();
  clear(plan.updates);
  plan.updates.kept = options_.keeps_as_made();
  plan.updates.time_learns = options_.time_learns();
  plan.layers.resize(options_.layers);
  for (QueryRows& layer : plan.layers) clear(layer);
  messages_.clear();
  level_of_slot_.assign(1, 0);
  update_of_slot_.assign(1, kNoRow);
  level_of_update_.clear();
}

void StepPlanner::set_past(const Past& past) {
  assert(past.last.size() == last_.size());
  std::copy(past.last.begin(), past.last.end(), last_.begin());
  std::copy(past.previous.begin(), past.previous.end(), previous_.begin());
}

void StepPlanner::plan(std::span<const EventId> events, std::span<const NodeId> others,
                       StepKind kind, StepPlan& plan, EventId batch_begin) {
  StepEvents step;
  if (kind != StepKind::updates) {
    step.queries = events;
    step.others = others;
  }
  if (kind != StepKind::queries) step.updates = events;
  if (!events.empty()) step.window_begin = std::min(events[0], batch_begin);
  this->plan(step, plan);
}

StepPlanner::Moment StepPlanner::moment_of(EventId event, const StepEvents& step) const {
  Moment now = {events_.times.at(event), events_.times.first_at_time_of(event)};
  if (is_pyg() && !in_turn()) now.limit = std::min(now.limit, step.window_begin);
  return now;
}

// NOLINTNEXTLINE(readability-function-cognitive-complexity): one pass, in the order of the stream
void StepPlanner::plan(const StepEvents& step, StepPlan& plan) {
  begin(plan);
  const bool asks = !step.queries.empty(), learns = !step.updates.empty();
  const std::span<const EventId> events = asks ? step.queries : step.updates;
  const std::size_t per_event = asks ? step.others.size() / events.size() : 0;
  plan.others = per_event;
  Moment now;
  std::span<const EventId> updates = step.updates;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventId event = events[i];
    // Events at the same time see the same past.
    if (i == 0 || events_.times.between(events[i - 1], event) != 0) now = moment_of(event, step);
    const std::span<const NodeId> others = step.others.subspan(i * per_event, per_event);
    if (in_turn()) update_in_turn(updates, step.ties == Ties::strict ? now.limit : event);
    if (asks) {
      fetch_ahead(step, i, now.limit);
      if (options_.dyrep) {
        add_answers(event, others);
      } else if (step.shares_rows && options_.can_share_rows) {
        add_shared_queries(event, now, others);
      } else {
        add_queries(event, now, others);
      }
      if (options_.walks) add_walks(event, others);
      if (plan.pair_dim != 0) add_pairs(event, others);
      if (options_.common) add_common(event, now.limit, others);
    }
    if (learns && options_.dyrep) add_queries(event, now, {});
    // In batch modes, too: like neighbours, features of pairs depend on the events before the
    // event, not before the batch.
    if (pairs_ != nullptr && step.happened) pairs_->pass(event);
  }
  in_turn() ? update_in_turn(updates, kNoEvent) : update_as_batch(step.updates);
  finish();
}

void StepPlanner::take_back(const StepPlan& plan) {
  assert(pairs_ == nullptr);
  for (auto passed = plan.passed.rbegin(); passed != plan.passed.rend(); ++passed) {
    last_[passed->node] = passed->last;
    previous_[passed->node] = passed->previous;
  }
}

void StepPlanner::pass(std::span<const EventId> events) {
  for (const EventId event : events) {
    if (pairs_ != nullptr) pairs_->pass(event);
    for (const NodeId node : {events_.sources[event], events_.destinations[event]}) {
      if (last_[node] == event) continue;
      previous_[node] = last_[node];
      last_[node] = event;
    }
  }
}

void StepPlanner::plan_nodes(std::span<const NodeQuery> nodes, StepPlan& plan) {
  begin(plan);
  for (const NodeQuery& query : nodes) {
    if (options_.dyrep) {
      plan.answers.push_back(slot_of(query.node));
      continue;
    }
    const EventId limit = events_.times.first_not_before(query.time);
    begin_draws(limit, kNodePlaces + query.node);
    const std::uint32_t row = add_query(options_.layers, query.node, {query.time, limit});
    shift_since(row, 1);
  }
  finish();
}

void StepPlanner::plan_last_updates(NodeId begin, NodeId end, StepPlan& plan) {
  this->begin(plan);
  for (NodeId node = begin; node < end; ++node) {
    if (last_[node] == kNoEvent) continue;
    const std::uint32_t slot = slot_of(node);
    plan.stores.push_back({node, slot, 0, 0});
  }
  finish();
}

void StepPlanner::finish() {
  sort_updates();
  set_gradient_rows();
  set_messages();
}

std::uint32_t StepPlanner::new_slot(NodeId node, std::uint32_t level) {
  plan_->node_of_slot.push_back(node);
  level_of_slot_.push_back(level);
  update_of_slot_.push_back(kNoRow);
  return static_cast<std::uint32_t>(plan_->num_slots++);
}

/// Slot of the node's state after all updates planned so far.
std::uint32_t StepPlanner::slot_of(NodeId node) {
  Place& place = places_[node];
  if (place.plan != plan_number_) {
    // A node without events has a zero state, but its own slot: it may have features.
    const bool known = options_.has_memory && last_[node] != kNoEvent;
    place = {plan_number_, known ? load(node) : new_slot(node, 0)};
  }
  return place.slot;
}

/// Loads the node's stored state. If messages are evaluated late, adds the update by its last
/// message. Returns the slot of the result.
std::uint32_t StepPlanner::load(NodeId node) {
  const std::uint32_t state = new_slot(node, 0);
  plan_->loads.push_back({state, node, MemoryPart::state});
  if (!evaluates_late()) return state;
  std::uint32_t message = 0;
  if (!keeps_messages()) {
    const EventId event = last_[node];
    const NodeId source = events_.sources[event];
    const NodeId other = source == node ? events_.destinations[event] : source;
    message = new_slot(other, 0);
    plan_->loads.push_back({message, other, MemoryPart::state});
  } else if (plan_->updates.kept) {
    plan_->loads.push_back(
        {static_cast<std::uint32_t>(plan_->updates.size()), node, MemoryPart::message});
  } else {
    message = new_slot(node, 0);
    plan_->loads.push_back({message, node, MemoryPart::message});
  }
  return add_update(node, state, message, last_[node], previous_[node]);
}

}  // namespace frugal::tgn
