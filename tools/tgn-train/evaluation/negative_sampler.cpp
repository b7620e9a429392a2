#include "tools/tgn-train/evaluation/negative_sampler.h"

#include <algorithm>
#include <cassert>

#include "libcore/threading/parallel.h"
#include "tools/tgn-train/evaluation/distinct_draw.h"

namespace frugal::tgn {
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
  events_.destinations_at_time_of(event, true_ones);
  if (options_.kind == NegativeKind::all) {
    negatives = DistinctDraw(destinations_, true_ones).all();
    return;
  }
  Rng rng(options_.seed, hash_combine(kRankStream, event));
  if (options_.kind == NegativeKind::uniform) {
    DistinctDraw(destinations_, true_ones).draw(options_.count, rng, negatives);
    return;
  }
  const auto met = met_in_training(events_.view().sources[event]);
  const std::size_t historical =
      DistinctDraw(met, true_ones).draw_at_most(options_.count / 2, rng, negatives);
  const std::size_t others = options_.count - historical;
  if (DistinctDraw(destinations_, true_ones, met).draw(others, rng, negatives) == 0) {
    // The source met them all.
    DistinctDraw(destinations_, true_ones).draw(others, rng, negatives);
  }
}

}  // namespace frugal::tgn
