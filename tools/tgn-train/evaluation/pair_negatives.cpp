#include "tools/tgn-train/evaluation/pair_negatives.h"

#include <algorithm>

namespace frugal::tgn {

std::vector<NodeId> PairNegatives::candidates(EventId event) const {
  const EventView& view = events_.view();
  const EventId now = view.times.first_at_time_of(event);
  std::vector<NodeId> training, later, present;
  for (const EventId other : events_.of(view.sources[event])) {
    if (other >= now) break;
    (other < train_end_ ? training : later).push_back(view.destinations[other]);
  }
  events_.destinations_at_time_of(event, present);
  for (std::vector<NodeId>* nodes : {&training, &later}) {
    std::sort(nodes->begin(), nodes->end());
    nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
  }
  return DistinctDraw(kind_ == Kind::historical ? training : later, present,
                      kind_ == Kind::historical ? std::span<const NodeId>() : training)
      .all();
}

std::optional<NodeId> PairNegatives::draw(EventId event) const {
  constexpr std::uint64_t kPairStream = 0x50414952;
  const std::vector<NodeId> nodes = candidates(event);
  if (nodes.empty()) return {};
  return nodes[Rng(seed_, hash_combine(kPairStream, event)).below(nodes.size())];
}

}  // namespace frugal::tgn
