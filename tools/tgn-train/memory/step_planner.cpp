#include "tools/tgn-train/memory/step_planner.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace frugal {
namespace {

/// Of queries that are no event's: their places are behind those of all events'.
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

}  // namespace

TimeShift measure_time_shift(const EventView& events, const std::function<bool(EventId)>& counts) {
  Array<EventId> last(events.num_nodes, kNoEvent);
  std::array<double, 2> sum{}, squares{};
  double n = 0;
  for (EventId event = 0; event < events.size(); ++event) {
    if (!counts(event)) continue;
    const NodeId nodes[2] = {events.sources[event], events.destinations[event]};
    for (std::size_t k = 0; k < 2; ++k) {
      const double since = events.times.between(last[nodes[k]], event);
      sum[k] += since;
      squares[k] += since * since;
    }
    last[nodes[0]] = last[nodes[1]] = event;
    ++n;
  }
  TimeShift shift;
  for (std::size_t k = 0; k < 2 && n != 0; ++k) {
    shift.mean[k] = sum[k] / n;
    const double variance = squares[k] / n - shift.mean[k] * shift.mean[k];
    shift.deviation[k] = variance > 0 ? std::sqrt(variance) : 1;
  }
  return shift;
}

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

void StepPlanner::reset() {
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
  plan.pairs.clear();
  plan.pair_dim = pairs_ != nullptr ? pairs_->dim() : 0;
  plan.passed.clear();
  clear(plan.updates);
  plan.updates.kept = options_.mode == MemoryMode::exact && !is_pyg();
  plan.updates.time_learns = is_pyg() || options_.mode == MemoryMode::read;
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

void StepPlanner::plan(const StepEvents& step, StepPlan& plan) {
  begin(plan);
  const bool in_turn = options_.mode == MemoryMode::window;
  const bool asks = !step.queries.empty(), learns = !step.updates.empty();
  const std::span<const EventId> events = asks ? step.queries : step.updates;
  const std::size_t per_event = asks ? step.others.size() / events.size() : 0;
  Moment now;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventId event = events[i];
    // Events of one time see the same past.
    if (i == 0 || events_.times.between(events[i - 1], event) != 0) {
      now = {events_.times.at(event), events_.times.first_at_time_of(event)};
      if (is_pyg() && !in_turn) now.limit = std::min(now.limit, step.window_begin);
    }
    const std::span<const NodeId> others = step.others.subspan(i * per_event, per_event);
    if (asks) {
      fetch_ahead(step, i, now.limit);
      options_.dyrep ? add_answers(event, others) : add_queries(event, now, others);
      if (pairs_ != nullptr) add_pairs(event, others);
    }
    if (learns && options_.dyrep) add_queries(event, now, {});
    // Also where memory learns of the batch as a whole: like neighbours, pairs are those of before
    // the event, not of before the batch.
    if (pairs_ != nullptr) pairs_->pass(event);
    if (learns && in_turn) update_in_turn(event);
  }
  if (!in_turn) update_as_batch(step.updates);
  finish();
}

/// Of large graphs nothing that queries look at is in the cache: two events ahead the neighbours of
/// nodes are looked up, which were called for another two ahead. The limit is that of now: close to
/// theirs.
void StepPlanner::fetch_ahead(const StepEvents& step, std::size_t i, EventId limit) const {
  constexpr std::size_t kNear = 2, kFar = 4;
  const std::size_t per_event = step.others.size() / step.queries.size();
  const auto for_each_node = [&](std::size_t at, const auto& visit) {
    if (at >= step.queries.size()) return;
    visit(events_.sources[step.queries[at]]);
    visit(events_.destinations[step.queries[at]]);
    for (const NodeId node : step.others.subspan(at * per_event, per_event)) visit(node);
  };
  for_each_node(i + kFar, [&](NodeId node) { fetch_node(node); });
  for_each_node(i + kNear, [&](NodeId node) { fetch_neighbors(node, limit); });
}

void StepPlanner::fetch_node(NodeId node) const {
  neighbors_->prefetch(node);
  __builtin_prefetch(&places_[node]);
  __builtin_prefetch(&last_[node]);
}

void StepPlanner::fetch_neighbors(NodeId node, EventId limit) const {
  if (!options_.has_neighbors) return;
  const std::span<const TemporalNeighbor> found = neighbors_->before(node, limit);
  for (const TemporalNeighbor& neighbor : found.last(std::min(options_.neighbors, found.size()))) {
    __builtin_prefetch(&places_[neighbor.node]);
    __builtin_prefetch(&last_[neighbor.node]);
    events_.times.prefetch(neighbor.event);
  }
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

void StepPlanner::finish() {
  sort_updates();
  set_gradient_rows();
  set_messages();
}

void StepPlanner::add_answers(EventId event, std::span<const NodeId> others) {
  plan_->answers.push_back(slot_of(events_.sources[event]));
  plan_->answers.push_back(slot_of(events_.destinations[event]));
  for (const NodeId other : others) plan_->answers.push_back(slot_of(other));
}

void StepPlanner::add_queries(EventId event, const Moment& now, std::span<const NodeId> others) {
  std::uint64_t place = 0;
  const auto add = [&](NodeId node, std::size_t kind) {
    begin_draws(event, place++);
    shift_since(add_query(options_.layers, node, now), kind);
  };
  add(events_.sources[event], 0);
  add(events_.destinations[event], 1);
  for (const NodeId other : others) add(other, 1);
}

/// Features of the source with each candidate.
void StepPlanner::add_pairs(EventId event, std::span<const NodeId> others) {
  candidates_.assign(1, events_.destinations[event]);
  candidates_.insert(candidates_.end(), others.begin(), others.end());
  const std::size_t begin = plan_->pairs.size();
  plan_->pairs.resize(begin + candidates_.size() * plan_->pair_dim);
  pairs_->features(event, candidates_, plan_->pairs.data() + begin);
}

/// Sources and destinations come back after times of their own kinds.
void StepPlanner::shift_since(std::size_t row, std::size_t kind) {
  double& since = plan_->layers.back().since[row];
  since = (since - options_.time_shift.mean[kind]) / options_.time_shift.deviation[kind];
}

std::uint32_t StepPlanner::new_slot(NodeId node, std::uint32_t level) {
  plan_->node_of_slot.push_back(node);
  level_of_slot_.push_back(level);
  update_of_slot_.push_back(kNoRow);
  return static_cast<std::uint32_t>(plan_->num_slots++);
}

/// Where the node's state is that an event behind those planned so far sees.
std::uint32_t StepPlanner::slot_of(NodeId node) {
  Place& place = places_[node];
  if (place.plan != plan_number_) {
    // A node without events has zeros, but its own slot: it may have features.
    const bool known = options_.has_memory && last_[node] != kNoEvent;
    place = {plan_number_, known ? load(node) : new_slot(node, 0), kNoRow, false};
  }
  return place.slot;
}

/// The state that memory has of the node, brought up to date with its last message if that is kept.
std::uint32_t StepPlanner::load(NodeId node) {
  const std::uint32_t state = new_slot(node, 0);
  plan_->loads.push_back({state, node, MemoryPart::state});
  if (!evaluates_late()) return state;
  std::uint32_t message = 0;
  if (is_pyg()) {
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

std::uint32_t StepPlanner::add_update(NodeId node, std::uint32_t own, std::uint32_t other,
                                      EventId event, EventId before) {
  UpdateRows& updates = plan_->updates;
  const std::uint32_t level = 1 + std::max(level_of_slot_[own], level_of_slot_[other]);
  const std::uint32_t out = new_slot(node, level);
  update_of_slot_[out] = static_cast<std::uint32_t>(updates.size());
  updates.own.push_back(own);
  updates.other.push_back(other);
  updates.event.push_back(event);
  updates.dt.push_back(events_.times.between(before, event));
  updates.out.push_back(out);
  level_of_update_.push_back(level);
  return out;
}

/// What attention knows of the time of a neighbour's event.
double StepPlanner::time_of_neighbor(const TemporalNeighbor& neighbor, EventTime now) const {
  if (!is_pyg()) return events_.times.between(neighbor.event, now);
  return -events_.times.between(last_[neighbor.node], neighbor.event);
}

/// The neighbours that a query of that layer looks at, oldest first; valid until the layer's next.
/// Drawn ones may come several times, as twitter-research/tgn's --uniform has them.
std::span<const TemporalNeighbor> StepPlanner::find_neighbors(std::size_t layer, NodeId node,
                                                              EventId limit) {
  const std::span<const TemporalNeighbor> found = neighbors_->before(node, limit);
  if (options_.sampling == NeighborSampling::recent) {
    return found.last(std::min(found.size(), options_.neighbors));
  }
  std::vector<TemporalNeighbor>& drawn = drawn_[layer - 1];
  drawn.clear();
  for (std::size_t i = 0; i < options_.neighbors && !found.empty(); ++i) {
    drawn.push_back(found[draws_.below(found.size())]);
  }
  std::sort(drawn.begin(), drawn.end(),
            [](const TemporalNeighbor& a, const TemporalNeighbor& b) { return a.event < b.event; });
  return drawn;
}

/// Adds the node, as of now, to the queries of that layer; returns its row. Layer 0 is memory.
std::uint32_t StepPlanner::add_query(std::size_t layer, NodeId node, const Moment& now) {
  if (layer == 0) return slot_of(node);
  const std::uint32_t self = add_query(layer - 1, node, now);
  QueryRows& rows = plan_->layers[layer - 1];
  if (options_.has_neighbors) {
    for (const TemporalNeighbor& neighbor : find_neighbors(layer, node, now.limit)) {
      rows.neighbors.push_back(add_query(layer - 1, neighbor.node, now));
      rows.events.push_back(neighbor.event);
      rows.dt.push_back(time_of_neighbor(neighbor, now.time));
    }
  }
  rows.self.push_back(self);
  rows.since.push_back(events_.times.between(last_[node], now.time));
  rows.offsets.push_back(static_cast<std::uint32_t>(rows.neighbors.size()));
  return static_cast<std::uint32_t>(rows.self.size() - 1);
}

/// Both nodes get new states, which later events see.
void StepPlanner::update_in_turn(EventId event) {
  const NodeId nodes[2] = {events_.sources[event], events_.destinations[event]};
  if (options_.has_memory) {
    const std::uint32_t own[2] = {slot_of(nodes[0]), slot_of(nodes[1])};
    // Of a node that meets itself the message as destination is the last.
    for (int k = nodes[0] == nodes[1] ? 1 : 0; k < 2; ++k) {
      const EventId before = last_[nodes[k]];
      const std::uint32_t out = add_update(nodes[k], own[k], own[1 - k], event, before);
      places_[nodes[k]].slot = out;
      store(nodes[k], evaluates_late() ? own[k] : out,
            {0, own[1 - k], event, events_.times.between(before, event)});
    }
  }
  pass_event(nodes[0], event);
  pass_event(nodes[1], event);
}

/// Calls visit(node, other, of) for the messages of a batch in the order in which the last one
/// counts: those of all sources, then of all destinations; pyg: event by event.
template <class Visit>
void StepPlanner::for_each_message(std::span<const EventId> events, const Visit& visit) const {
  const auto visit_role = [&](std::size_t i, bool as_source) {
    const NodeId ends[] = {events_.sources[events[i]], events_.destinations[events[i]]};
    visit(ends[as_source ? 0 : 1], ends[as_source ? 1 : 0], MessageOf{i, as_source});
  };
  if (is_pyg()) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      visit_role(i, true);
      visit_role(i, false);
    }
    return;
  }
  for (const bool as_source : {true, false}) {
    for (std::size_t i = 0; i < events.size(); ++i) visit_role(i, as_source);
  }
}

void StepPlanner::update_as_batch(std::span<const EventId> events) {
  for_each_message(events, [&](NodeId node, NodeId other, const MessageOf& of) {
    const EventId event = events[of.number];
    const std::uint32_t own = slot_of(node);
    if (!options_.has_memory) return;
    // Queries are those of the events' sources and destinations in turn.
    const auto embedded = static_cast<std::uint32_t>(2 * of.number + (of.to_source ? 1 : 0));
    store(node, own,
          {0, options_.dyrep ? embedded : slot_of(other), event,
           events_.times.between(last_[node], event)});
  });
  // As one event of each node, its last message's.
  for_each_message(events, [&](NodeId node, NodeId, const MessageOf& of) {
    const EventId event = events[of.number];
    Place& place = places_[node];
    if (!place.passed) {
      plan_->passed.push_back({node, last_[node], previous_[node]});
      previous_[node] = last_[node];
    }
    place.passed = true;
    last_[node] = event;
  });
}

void StepPlanner::pass_event(NodeId node, EventId event) {
  if (last_[node] == event) return;
  plan_->passed.push_back({node, last_[node], previous_[node]});
  previous_[node] = last_[node];
  last_[node] = event;
}

/// The node's state of that slot is kept, and the message, behind those before or in the place of
/// the one before.
void StepPlanner::store(NodeId node, std::uint32_t slot, const Message& message) {
  Place& place = places_[node];
  std::vector<MemoryStore>& stores = plan_->stores;
  const bool first = place.store == kNoRow;
  if (first) {
    place.store = static_cast<std::uint32_t>(stores.size());
    stores.push_back({node, slot, 0, 0});
  }
  MemoryStore& kept = stores[place.store];
  kept.slot = slot;
  if (!keeps_messages()) return;
  if (first || (options_.mean_messages && plan_->updates.kept)) {
    kept.message_begin = static_cast<std::uint32_t>(messages_.size());
    messages_.push_back(message);
  } else {
    messages_[kept.message_begin] = message;
  }
  messages_[kept.message_begin].store = place.store;
}

/// Puts the messages of a node behind each other.
void StepPlanner::set_messages() {
  std::stable_sort(messages_.begin(), messages_.end(),
                   [](const Message& a, const Message& b) { return a.store < b.store; });
  MessageRows& rows = plan_->messages;
  const std::size_t n = messages_.size();
  rows.other.resize(n);
  rows.event.resize(n);
  rows.dt.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    MemoryStore& kept = plan_->stores[messages_[i].store];
    if (i == 0 || messages_[i - 1].store != messages_[i].store) {
      kept.message_begin = static_cast<std::uint32_t>(i);
    }
    kept.message_end = static_cast<std::uint32_t>(i + 1);
    rows.other[i] = messages_[i].other;
    rows.event[i] = messages_[i].event;
    rows.dt[i] = messages_[i].dt;
  }
}

/// Those of a level behind those of the levels below.
void StepPlanner::sort_updates() {
  UpdateRows& rows = plan_->updates;
  const std::size_t n = rows.size();
  std::uint32_t levels = 0;
  for (const std::uint32_t level : level_of_update_) levels = std::max(levels, level);
  rows.level_begin.assign(levels + 1, 0);
  for (const std::uint32_t level : level_of_update_) ++rows.level_begin[level];
  for (std::size_t level = 1; level < rows.level_begin.size(); ++level) {
    rows.level_begin[level] += rows.level_begin[level - 1];
  }
  if (levels <= 1) return;
  next_of_level_ = rows.level_begin;
  sorted_.own.resize(n);
  sorted_.other.resize(n);
  sorted_.event.resize(n);
  sorted_.dt.resize(n);
  sorted_.out.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t to = next_of_level_[level_of_update_[i] - 1]++;
    sorted_.own[to] = rows.own[i];
    sorted_.other[to] = rows.other[i];
    sorted_.event[to] = rows.event[i];
    sorted_.dt[to] = rows.dt[i];
    sorted_.out[to] = rows.out[i];
    update_of_slot_[rows.out[i]] = to;
  }
  rows.own.swap(sorted_.own);
  rows.other.swap(sorted_.other);
  rows.event.swap(sorted_.event);
  rows.dt.swap(sorted_.dt);
  rows.out.swap(sorted_.out);
}

/// Gradients reach the updates of this step, and above the first layer all rows below.
void StepPlanner::set_gradient_rows() {
  plan_->answer_gradient.resize(plan_->answers.size());
  for (std::size_t i = 0; i < plan_->answers.size(); ++i) {
    plan_->answer_gradient[i] = update_of_slot_[plan_->answers[i]];
  }
  for (std::size_t k = 0; k < plan_->layers.size(); ++k) {
    QueryRows& rows = plan_->layers[k];
    if (k != 0) {
      rows.self_gradient = rows.self;
      rows.neighbor_gradient = rows.neighbors;
      continue;
    }
    rows.self_gradient.resize(rows.self.size());
    rows.neighbor_gradient.resize(rows.neighbors.size());
    for (std::size_t i = 0; i < rows.self.size(); ++i) {
      rows.self_gradient[i] = update_of_slot_[rows.self[i]];
    }
    for (std::size_t i = 0; i < rows.neighbors.size(); ++i) {
      rows.neighbor_gradient[i] = update_of_slot_[rows.neighbors[i]];
    }
  }
}

}  // namespace frugal
