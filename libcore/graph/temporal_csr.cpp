#include "libcore/graph/temporal_csr.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"

namespace frugal {
namespace {

constexpr std::size_t kEventsAPart = std::size_t{1} << 16;
constexpr std::size_t kAhead = 16;  // events whose counters are fetched early

/// Deals nodes out to parts, those of a cache line of offsets to the same, so that each part can
/// read the whole stream in its order and write without the others: no copy of the entries, no
/// locks, and rows do not depend on the number of threads. Hashed: ids often tell the degree.
struct NodeParts {
  std::uint64_t count;

  std::uint64_t of(NodeId v) const {
    const std::uint32_t line = (v + 1) / 8;
    return (line * std::uint32_t{0x9e3779b1} * count) >> 32;
  }
};

struct Events {
  std::span<const NodeId> sources, destinations;
  const std::function<bool(std::uint32_t)>& keep;
};

/// Calls visit(node, other, event) for both roles of each kept event, for the part's nodes.
template <class Prefetch, class Visit>
void visit_part(const Events& events, NodeParts parts, std::uint64_t part, const Prefetch& prefetch,
                const Visit& visit) {
  const std::size_t n = events.sources.size();
  for (std::size_t e = 0; e < n; ++e) {
    const NodeId u = events.sources[e], v = events.destinations[e];
    if (e + kAhead < n) {
      prefetch(events.sources[e + kAhead]);
      prefetch(events.destinations[e + kAhead]);
    }
    const bool u_is_ours = parts.of(u) == part, v_is_ours = parts.of(v) == part;
    if (!u_is_ours && !v_is_ours) continue;
    const auto event = static_cast<std::uint32_t>(e);
    if (events.keep != nullptr && !events.keep(event)) continue;
    if (u_is_ours) visit(u, v, event);
    if (v_is_ours) visit(v, u, event);
  }
}

}  // namespace

TemporalCsr::TemporalCsr(std::span<const NodeId> sources, std::span<const NodeId> destinations,
                         std::size_t num_nodes,
                         const std::function<bool(std::uint32_t event)>& keep) {
  assert(sources.size() == destinations.size());
  assert(sources.size() < std::numeric_limits<std::uint32_t>::max());
  check_memory("the neighbours in " + format_count(sources.size(), "event"),
               2 * sources.size() * sizeof(TemporalNeighbor) + (num_nodes + 1) * sizeof(EdgeId));
  offsets_ = Array<EdgeId>(num_nodes + 1);
  if (num_nodes == 0) return;
  const Events events{sources, destinations, keep};
  const NodeParts parts{std::min<std::uint64_t>(static_cast<std::uint64_t>(num_threads()),
                                                1 + sources.size() / kEventsAPart)};
  // Row v is counted behind its place, begins there after the sums, and ends there when filled.
  EdgeId* const ends = offsets_.data() + 1;
  const auto prefetch = [&](NodeId v) { __builtin_prefetch(ends + v, 1); };
  parallel_for(parts.count, 1, [&](std::size_t part) {
    visit_part(events, parts, part, prefetch,
               [&](NodeId node, NodeId, std::uint32_t) { ++ends[node]; });
  });
  EdgeId begin = 0;
  for (std::size_t v = 0; v < num_nodes; ++v) {
    const EdgeId size = ends[v];
    ends[v] = begin;
    begin += size;
  }
  entries_ = Array<TemporalNeighbor>(begin, uninitialized);
  parallel_for(parts.count, 1, [&](std::size_t part) {
    visit_part(events, parts, part, prefetch, [&](NodeId node, NodeId other, std::uint32_t event) {
      entries_[ends[node]++] = {other, event};
    });
  });
}

std::span<const TemporalNeighbor> TemporalCsr::before(NodeId v, std::uint32_t limit) const {
  assert(v < num_nodes());
  const TemporalNeighbor* const begin = entries_.data() + offsets_[v];
  const TemporalNeighbor* const end = entries_.data() + offsets_[v + 1];
  return {begin, std::partition_point(begin, end,
                                      [&](const TemporalNeighbor& n) { return n.event < limit; })};
}

}  // namespace frugal
