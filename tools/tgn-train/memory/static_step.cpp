#include "tools/tgn-train/memory/static_step.h"

#include <algorithm>
#include <cassert>
#include <unordered_map>
#include <unordered_set>

namespace frugal::tgn {
namespace {

/// Numbers local nodes, by node and neighbours.
class LocalNodes {
 public:
  LocalNodes(const StepPlan& plan, std::vector<NodeId>& nodes)
      : plan_(plan), queries_(plan.layers.back()), nodes_(nodes) {}

  /// The local node of a query: the same for all queries with its node and neighbours. Must not be
  /// called after of_neighbor().
  std::uint32_t of_query(std::size_t query) {
    assert(query_of_.size() == nodes_.size());
    const NodeId node = node_of(queries_.self[query]);
    for (const std::uint32_t local : locals_[node]) {
      if (same_neighbors(query_of_[local], query)) return local;
    }
    return add(node, query);
  }
  /// A local node of the slot's node. Any one will do: they all have the same memory.
  std::uint32_t of_neighbor(std::uint32_t slot) {
    const NodeId node = node_of(slot);
    const std::vector<std::uint32_t>& locals = locals_[node];
    return locals.empty() ? add(node, kNoRow) : locals.front();
  }
  /// For each local node that of_query() added, one of its queries. These local nodes come first.
  const std::vector<std::uint32_t>& queries() const { return query_of_; }

 private:
  NodeId node_of(std::uint32_t slot) const { return plan_.node_of_slot[slot]; }
  bool same_neighbors(std::size_t a, std::size_t b) const {
    const auto begin = queries_.events.begin();
    const std::vector<std::uint32_t>& offsets = queries_.offsets;
    return std::equal(begin + offsets[a], begin + offsets[a + 1], begin + offsets[b],
                      begin + offsets[b + 1]);
  }
  std::uint32_t add(NodeId node, std::size_t query) {
    const auto local = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
    if (query != kNoRow) query_of_.push_back(static_cast<std::uint32_t>(query));
    locals_[node].push_back(local);
    return local;
  }

  const StepPlan& plan_;
  const QueryRows& queries_;
  std::vector<NodeId>& nodes_;
  std::vector<std::uint32_t> query_of_;
  std::unordered_map<NodeId, std::vector<std::uint32_t>> locals_;
};

/// Flags [2, events], sources then destinations: 1 if no later message of the step goes to the same
/// node. The destination's message of an event is later than the source's.
std::vector<std::uint8_t> most_recent_messages(std::span<const EventId> events,
                                               const EventView& view) {
  const std::size_t n = events.size();
  std::vector<std::uint8_t> flags(2 * n);
  std::unordered_set<NodeId> met;
  for (std::size_t i = n; i-- > 0;) {
    flags[n + i] = met.insert(view.destinations[events[i]]).second ? 1 : 0;
    flags[i] = met.insert(view.sources[events[i]]).second ? 1 : 0;
  }
  return flags;
}

}  // namespace

StaticStep StaticStep::of(const StepPlan& plan, std::span<const EventId> events,
                          const EventView& view) {
  const QueryRows& queries = plan.layers.back();
  const std::size_t n = events.size();
  assert(plan.layers.size() == 1 && queries.size() == 3 * n);
  StaticStep step;
  step.events.assign(events.begin(), events.end());
  step.most_recent = most_recent_messages(events, view);
  step.triples.resize(3 * n);
  LocalNodes locals(plan, step.nodes);
  for (std::size_t q = 0; q < 3 * n; ++q) step.triples[q % 3 * n + q / 3] = locals.of_query(q);
  // All local nodes of queries exist now; the ones added below are neighbours only.
  std::vector<std::uint32_t> neighbors, owners;
  const std::vector<std::uint32_t>& query_of = locals.queries();
  for (std::uint32_t local = 0; local < query_of.size(); ++local) {
    const std::uint32_t query = query_of[local];
    for (std::uint32_t e = queries.offsets[query]; e < queries.offsets[query + 1]; ++e) {
      neighbors.push_back(locals.of_neighbor(queries.neighbors[e]));
      owners.push_back(local);
      step.edge_events.push_back(queries.events[e]);
    }
  }
  step.edges = std::move(neighbors);
  step.edges.insert(step.edges.end(), owners.begin(), owners.end());
  return step;
}

}  // namespace frugal::tgn
