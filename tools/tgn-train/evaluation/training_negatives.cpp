#include "tools/tgn-train/evaluation/training_negatives.h"

#include <algorithm>

#include "tools/tgn-train/history/node_set.h"

namespace frugal::tgn {

FirstMeetings::FirstMeetings(const EventView& events, const std::function<bool(EventId)>& counts)
    : events_(events), first_row_(events.num_nodes + 1) {
  for (std::size_t v = 0; v < events.num_nodes; ++v) {
    const auto row = events_.of(static_cast<NodeId>(v));
    NodeSet met(row.size());
    for (const EventId event : row) {
      if (counts(event) && met.insert(events.destinations[event])) firsts_.push_back(event);
    }
    first_row_[v + 1] = firsts_.size();
  }
}

std::optional<NodeId> FirstMeetings::draw(EventId event, Rng& rng) const {
  constexpr int kDraws = 8;
  const EventView& view = events_.view();
  const NodeId source = view.sources[event];
  const std::span<const EventId> firsts =
      std::span(firsts_).subspan(first_row_[source], first_row_[source + 1] - first_row_[source]);
  const EventId now = view.times.first_at_time_of(event);
  const auto met = static_cast<std::size_t>(std::lower_bound(firsts.begin(), firsts.end(), now) -
                                            firsts.begin());
  if (met == 0) return {};
  std::vector<NodeId> present;
  events_.destinations_at_time_of(event, present);
  for (int i = 0; i < kDraws; ++i) {
    const NodeId node = view.destinations[firsts[rng.below(met)]];
    if (!std::binary_search(present.begin(), present.end(), node)) return node;
  }
  return {};
}

void TrainingNegatives::draw(EventId event, std::uint64_t stream, std::size_t count,
                             std::vector<NodeId>& negatives) const {
  constexpr std::uint64_t kMetStream = 0x4d4554;
  const std::size_t begin = negatives.size();
  uniform_.draw(event, stream, count, negatives);
  if (kind_ == TrainNegatives::uniform) return;
  // Uniform negatives stay the same for all kinds.
  Rng rng(uniform_.seed(), hash_combine(hash_combine(kMetStream, stream), event));
  for (std::size_t i = begin; i < negatives.size(); ++i) {
    if (kind_ == TrainNegatives::mixed && rng.below(2) == 0) continue;
    if (const auto met = meetings_->draw(event, rng)) negatives[i] = *met;
  }
}

}  // namespace frugal::tgn
