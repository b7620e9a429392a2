// The queries of a plan: their neighbours, their features of pairs and their common neighbours.
#include <algorithm>
#include <cassert>

#include "tools/tgn-train/memory/step_planner.h"
#include "tools/tgn-train/network/link_decoder.h"

namespace frugal::tgn {

/// Prefetches what later queries read, because none of it is in the cache in a large graph. For the
/// event four ahead it fetches the entries of its nodes, for the event two ahead those of their
/// neighbours. `limit` is the present event's, close to that of the later ones.
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
  if (!options_.has_neighbors && !options_.common) return;
  const std::span<const TemporalNeighbor> found = neighbors_->before(node, limit);
  for (const TemporalNeighbor& neighbor : found.last(std::min(options_.neighbors, found.size()))) {
    __builtin_prefetch(&places_[neighbor.node]);
    __builtin_prefetch(&last_[neighbor.node]);
    events_.times.prefetch(neighbor.event);
  }
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

void StepPlanner::add_shared_queries(EventId event, const Moment& now,
                                     std::span<const NodeId> others) {
  const auto add = [&](NodeId node) { plan_->shared_rows.push_back(add_shared_query(node, now)); };
  add(events_.sources[event]);
  add(events_.destinations[event]);
  for (const NodeId other : others) add(other);
}

/// Adds the features of the event's source with its destination and each of the others. All have
/// the event's type.
void StepPlanner::add_pairs(EventId event, std::span<const NodeId> others) {
  candidates_.assign(1, events_.destinations[event]);
  candidates_.insert(candidates_.end(), others.begin(), others.end());
  const std::size_t begin = plan_->pairs.size();
  plan_->pairs.resize(begin + candidates_.size() * plan_->pair_dim);
  float* to = plan_->pairs.data() + begin;
  if (options_.types == 0) return pairs_->features(event, candidates_, to);
  const std::size_t dim = plan_->pair_dim - options_.types;
  candidate_pairs_.resize(candidates_.size() * dim);
  if (dim != 0) pairs_->features(event, candidates_, candidate_pairs_.data());
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    to = std::copy_n(candidate_pairs_.data() + c * dim, dim, to);
    to[events_.types[event]] = kPairScale;
    to += options_.types;
  }
}

/// Adds the products of walks that the event's queries, the last ones of the plan, read.
void StepPlanner::add_walks(EventId event, std::span<const NodeId> others) {
  const QueryRows& rows = plan_->layers.back();
  const auto node = [&](std::uint32_t slot) { return plan_->node_of_slot[slot]; };
  products_.begin(pairs_->walks_before(event), event);
  for (std::size_t q = rows.size() - others.size() - 2; q < rows.size(); ++q) {
    products_.add_query(node(rows.self[q]));
    for (std::uint32_t e = rows.offsets[q]; e < rows.offsets[q + 1]; ++e) {
      products_.add_neighbor(node(rows.neighbors[e]));
    }
  }
  WalkRows& walks = plan_->walks;
  products_.append({walks.nodes, walks.neighbors, walks.ends, walks.others, walks.pairs});
}

/// Adds the common neighbours of the event's source with its destination and each of the others. A
/// node has one slot in all queries of an event.
void StepPlanner::add_common(EventId event, EventId limit, std::span<const NodeId> others) {
  CommonRows& rows = plan_->common;
  of_source_.gather(*neighbors_, events_.sources[event], limit, options_.neighbors);
  const auto add_pair = [&](NodeId destination) {
    of_destination_.gather(*neighbors_, destination, limit, options_.neighbors);
    rows.source_met.push_back(of_destination_.has_partner(of_source_.node()) ? 1 : 0);
    rows.destination_met.push_back(of_source_.has_partner(destination) ? 1 : 0);
    for (std::size_t list = 0; list < CommonRows::kLists; ++list) {
      find_common(of_source_, of_destination_, static_cast<CommonHops>(list), common_);
      for (const NodeId node : common_) rows.slots.push_back(slot_of(node));
      rows.offsets.push_back(static_cast<std::uint32_t>(rows.slots.size()));
    }
  };
  add_pair(events_.destinations[event]);
  for (const NodeId other : others) add_pair(other);
}

/// Normalises `since` of a query; kind: 0 for sources, 1 for destinations.
void StepPlanner::shift_since(std::size_t row, std::size_t kind) {
  double& since = plan_->layers.back().since[row];
  since = (since - options_.time.mean[kind]) / options_.time.deviation[kind];
}

/// Time that attention encodes for a neighbour: from its event to `now`, or, under the pyg rules,
/// from its event to the neighbour's last event.
double StepPlanner::time_of_neighbor(const TemporalNeighbor& neighbor, EventTime now) const {
  if (!is_pyg()) return elapsed(neighbor.event, now);
  return -elapsed(last_[neighbor.node], neighbor.event);
}

/// The neighbours that a query of that layer reads, oldest first; valid until the layer's next
/// query. Drawn neighbours may occur several times, as with --uniform of twitter-research/tgn.
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

/// Adds a query for the node to that layer, with the queries of the layers below that it reads.
/// Returns its row. Layer 0 is the memory: the row is the node's slot.
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
  rows.since.push_back(elapsed(last_[node], now.time));
  rows.offsets.push_back(static_cast<std::uint32_t>(rows.neighbors.size()));
  return static_cast<std::uint32_t>(rows.self.size() - 1);
}

namespace {

/// True if that row reads the same as the last one.
bool equals_last(const QueryRows& rows, std::size_t row) {
  const std::size_t last = rows.size() - 1;
  const auto equal = [&](const auto& values) {
    return std::equal(values.begin() + rows.offsets[row], values.begin() + rows.offsets[row + 1],
                      values.begin() + rows.offsets[last], values.end());
  };
  return rows.self[row] == rows.self[last] && equal(rows.neighbors) && equal(rows.events) &&
         equal(rows.dt);
}

void remove_last(QueryRows& rows) {
  rows.self.pop_back();
  rows.since.pop_back();
  rows.offsets.pop_back();
  rows.neighbors.resize(rows.offsets.back());
  rows.events.resize(rows.offsets.back());
  rows.dt.resize(rows.offsets.back());
}

}  // namespace

/// Returns the node's last row of the layer if a new one would read the same, otherwise a new one.
/// An update of the node or of a neighbour, or a new neighbour, makes the difference.
std::uint32_t StepPlanner::add_shared_query(NodeId node, const Moment& now) {
  const std::uint32_t row = add_query(1, node, now);
  std::uint32_t& known = places_[node].query;
  if (known == kNoRow || !equals_last(plan_->layers[0], known)) return known = row;
  remove_last(plan_->layers[0]);
  return known;
}

}  // namespace frugal::tgn
