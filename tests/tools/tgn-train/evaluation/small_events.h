#pragma once
#include <vector>

#include "libcore/base/rng.h"
#include "tools/tgn-train/data/event_view.h"

namespace frugal::tgn {

/// Events that are written down one by one, or drawn.
struct SmallEvents {
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> times;
  std::size_t num_nodes = 0;

  void add(NodeId source, NodeId destination, std::int64_t time) {
    sources.push_back(source);
    destinations.push_back(destination);
    times.push_back(time);
  }
  EventView view() const {
    return {sources, destinations, EventTimes(std::span<const std::int64_t>(times)), num_nodes};
  }
};

/// Sources below 8, destinations from 8 on; about every third event is at the time of the one
/// before, as can be in files with coarse clocks.
inline SmallEvents drawn_events(std::size_t count, std::size_t num_destinations,
                                std::uint64_t seed) {
  SmallEvents events;
  events.num_nodes = 8 + num_destinations;
  Rng rng(seed);
  // Beyond what a float tells apart.
  std::int64_t time = std::int64_t{1} << 40;
  for (std::size_t i = 0; i < count; ++i) {
    time += static_cast<std::int64_t>(rng.below(3) * (1 + rng.below(5)));
    events.add(static_cast<NodeId>(rng.below(8)),
               static_cast<NodeId>(8 + rng.below(1 + rng.below(num_destinations))), time);
  }
  return events;
}

}  // namespace frugal::tgn
