#include "tools/tgn-train/evaluation/negative_sampler.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "libcore/threading/parallel.h"
#include "tools/tgn-train/history/node_set.h"

namespace frugal::tgn {

SourceEvents::SourceEvents(const EventView& events)
    : view_(events), offsets_(events.num_nodes + 1), events_(events.size(), uninitialized) {
  // Counts are moved two places on, so that filling the rows leaves their beginnings behind.
  const auto place = [&](NodeId source) { return std::size_t{source} + 2; };
  for (const NodeId source : events.sources) {
    if (place(source) <= events.num_nodes) ++offsets_[place(source)];
  }
  for (std::size_t i = 2; i <= events.num_nodes; ++i) offsets_[i] += offsets_[i - 1];
  for (EventId event = 0; event < events.size(); ++event) {
    events_[offsets_[events.sources[event] + 1]++] = event;
  }
}

/// Destinations of the source's events from `first` on to the time of `event`.
void SourceEvents::destinations_from(EventId first, EventId event,
                                     std::vector<NodeId>& destinations) const {
  destinations.clear();
  const std::span<const EventId> events = of(view_.sources[event]);
  for (auto at = std::lower_bound(events.begin(), events.end(), first);
       at != events.end() && (*at < event || view_.at_same_time(event, *at)); ++at) {
    destinations.push_back(view_.destinations[*at]);
  }
  std::sort(destinations.begin(), destinations.end());
  destinations.erase(std::unique(destinations.begin(), destinations.end()), destinations.end());
}

void SourceEvents::destinations_at_time_of(EventId event, std::vector<NodeId>& destinations) const {
  destinations_from(view_.times.first_at_time_of(event), event, destinations);
}

void SourceEvents::destinations_until(EventId event, std::vector<NodeId>& destinations) const {
  destinations_from(0, event, destinations);
}

namespace {

/// Appends the first `count` of a shuffled list.
void draw_listed(std::vector<NodeId>& listed, std::size_t count, Rng& rng,
                 std::vector<NodeId>& nodes) {
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(listed[i], listed[i + rng.below(listed.size() - i)]);
    nodes.push_back(listed[i]);
  }
}

}  // namespace

/// Copies what lies between the excluded nodes: few of many are excluded.
std::vector<NodeId> DistinctDraw::all() const {
  std::vector<NodeId> out;
  std::set_union(without_[0].begin(), without_[0].end(), without_[1].begin(), without_[1].end(),
                 std::back_inserter(out));
  std::vector<NodeId> nodes;
  nodes.reserve(pool_.size());
  auto from = pool_.begin();
  for (const NodeId node : out) {
    const auto to = std::lower_bound(from, pool_.end(), node);
    nodes.insert(nodes.end(), from, to);
    from = to != pool_.end() && *to == node ? to + 1 : to;
  }
  nodes.insert(nodes.end(), from, pool_.end());
  return nodes;
}

void DistinctDraw::draw_by_rejection(std::size_t count, Rng& rng,
                                     std::vector<NodeId>& nodes) const {
  NodeSet drawn(count);
  for (std::size_t missing = count; missing > 0;) {
    const NodeId node = pool_[rng.below(pool_.size())];
    if (excluded(node) || !drawn.insert(node)) continue;
    nodes.push_back(node);
    --missing;
  }
}

std::size_t DistinctDraw::draw(std::size_t count, Rng& rng, std::vector<NodeId>& nodes) const {
  if (is_roomy(count)) {
    draw_by_rejection(count, rng, nodes);
    return count;
  }
  std::vector<NodeId> listed = all();
  const std::size_t size = std::min(count, listed.size());
  draw_listed(listed, size, rng, nodes);
  return size;
}

namespace {

/// Puts the draws of ranks apart from those of UniformNegative with the same seed.
constexpr std::uint64_t kRankStream = 0x52414e4b;

}  // namespace

std::vector<NodeId> distinct_destinations(const EventView& events,
                                          const std::function<bool(EventId)>& keep) {
  std::vector<bool> there(events.num_nodes);
  for (EventId event = 0; event < events.size(); ++event) {
    if (!keep || keep(event)) there[events.destinations[event]] = true;
  }
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < there.size(); ++v) {
    if (there[v]) nodes.push_back(static_cast<NodeId>(v));
  }
  return nodes;
}

DrawnNegatives::DrawnNegatives(const SourceEvents& events, EventId train_end,
                               std::vector<NodeId> destinations, const NegativeOptions& options)
    : events_(events), destinations_(std::move(destinations)), options_(options) {
  assert(options.count > 0);
  if (options.kind != NegativeKind::historical) return;
  const EventView& view = events.view();
  met_begin_.resize(view.num_nodes);
  met_count_.resize(view.num_nodes);
  EdgeId total = 0;
  for (std::size_t v = 0; v < view.num_nodes; ++v) {
    const auto row = events.of(static_cast<NodeId>(v));
    met_begin_[v] = total;
    total += static_cast<EdgeId>(std::lower_bound(row.begin(), row.end(), train_end) - row.begin());
  }
  met_.resize(total);
  parallel_for(view.num_nodes, 1024, [&](std::size_t v) {
    const auto begin = met_.begin() + static_cast<std::ptrdiff_t>(met_begin_[v]);
    auto end = begin;
    for (const EventId event : events.of(static_cast<NodeId>(v))) {
      if (event >= train_end) break;
      *end++ = view.destinations[event];
    }
    std::sort(begin, end);
    met_count_[v] = static_cast<std::uint32_t>(std::unique(begin, end) - begin);
  });
}

void DrawnNegatives::draw(EventId event, std::vector<NodeId>& negatives) const {
  negatives.clear();
  std::vector<NodeId> true_ones;
  const bool all = options_.kind == NegativeKind::all,
             unseen = options_.kind == NegativeKind::unseen;
  unseen ? events_.destinations_until(event, true_ones)
         : events_.destinations_at_time_of(event, true_ones);
  if (all || unseen) {
    negatives = DistinctDraw(destinations_, true_ones).all();
    return;
  }
  Rng rng(options_.seed, hash_combine(kRankStream, event));
  if (options_.kind == NegativeKind::uniform) {
    DistinctDraw(destinations_, true_ones).draw(options_.count, rng, negatives);
    return;
  }
  const auto met = met_in_training(events_.view().sources[event]);
  const DistinctDraw old(met, true_ones), others(destinations_, true_ones, met);
  const std::size_t historical = old.draw(options_.count / 2, rng, negatives);
  others.draw(options_.count - historical, rng, negatives);
  if (negatives.size() == options_.count) return;
  // There are no more that it did not meet.
  negatives.clear();
  const std::size_t rest = options_.count - others.draw(options_.count, rng, negatives);
  old.draw(rest, rng, negatives);
}

}  // namespace frugal::tgn
