// The updates of a plan: which states they make, their order, and the records to store.
#include <algorithm>

#include "tools/tgn-train/memory/step_planner.h"

namespace frugal::tgn {

std::uint32_t StepPlanner::add_update(NodeId node, std::uint32_t own, std::uint32_t other,
                                      EventId event, EventId before) {
  UpdateRows& updates = plan_->updates;
  const std::uint32_t level = 1 + std::max(level_of_slot_[own], level_of_slot_[other]);
  const std::uint32_t out = new_slot(node, level);
  update_of_slot_[out] = static_cast<std::uint32_t>(updates.size());
  updates.own.push_back(own);
  updates.other.push_back(other);
  updates.event.push_back(event);
  updates.dt.push_back(elapsed(before, event));
  updates.out.push_back(out);
  level_of_update_.push_back(level);
  return out;
}

/// Applies the events before `end` and removes them from `events`.
void StepPlanner::update_in_turn(std::span<const EventId>& events, EventId end) {
  for (; !events.empty() && events.front() < end; events = events.subspan(1)) {
    update_in_turn(events.front());
  }
}

/// Adds an update of both nodes, whose new states later events see.
void StepPlanner::update_in_turn(EventId event) {
  const NodeId nodes[2] = {events_.sources[event], events_.destinations[event]};
  if (options_.has_memory) {
    const std::uint32_t own[2] = {slot_of(nodes[0]), slot_of(nodes[1])};
    // A self loop makes one update, by the message to the destination.
    for (int k = nodes[0] == nodes[1] ? 1 : 0; k < 2; ++k) {
      const EventId before = last_[nodes[k]];
      const std::uint32_t out = add_update(nodes[k], own[k], own[1 - k], event, before);
      places_[nodes[k]].slot = out;
      store(nodes[k], evaluates_late() ? own[k] : out,
            {0, own[1 - k], event, elapsed(before, event)});
    }
  }
  pass_event(nodes[0], event);
  pass_event(nodes[1], event);
}

/// Calls visit(node, other, of) for the messages of a batch, where a node's last message counts.
/// Messages to all sources come first, then those to all destinations; under the pyg rules, event
/// by event.
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
    // In DyRep, queries alternate between the sources and the destinations of the events.
    const auto embedded = static_cast<std::uint32_t>(2 * of.number + (of.to_source ? 1 : 0));
    store(node, own,
          {0, options_.dyrep ? embedded : slot_of(other), event, elapsed(last_[node], event)});
  });
  // A batch counts as one event of each node: the event of its last message.
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

/// Records that the step stores the slot's state for the node, and the message. The message
/// replaces an earlier one of the step, unless messages are averaged: then it is added.
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

/// Sorts the messages by store, so that each store's messages are consecutive.
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

/// Sorts the updates by level (counting sort), so that a level reads only rows made before it.
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

/// Sets the rows that gradients go to: in the first layer the updates of this step, in the layers
/// above it all rows of the layer below.
void StepPlanner::set_gradient_rows() {
  plan_->answer_gradient.resize(plan_->answers.size());
  for (std::size_t i = 0; i < plan_->answers.size(); ++i) {
    plan_->answer_gradient[i] = update_of_slot_[plan_->answers[i]];
  }
  CommonRows& common = plan_->common;
  common.gradient.resize(common.slots.size());
  for (std::size_t i = 0; i < common.slots.size(); ++i) {
    common.gradient[i] = update_of_slot_[common.slots[i]];
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

}  // namespace frugal::tgn
