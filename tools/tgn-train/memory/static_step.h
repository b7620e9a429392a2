#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

/// A step under the pyg rules in the layout of Graphcore's TGN (graphcore/examples,
/// gnn/tgn/pytorch/tgn_modules.py). It has local nodes, whose memory is read and embedded, edges
/// between them, and the events as triples of local nodes. A node that is queried with different
/// neighbours is several local nodes.
struct StaticStep {
  std::vector<NodeId> nodes;           ///< node of each local node
  std::vector<std::uint32_t> triples;  ///< [3, events]: source, destination, other destination
  std::vector<EventId> events;         ///< events of the step: queried, then applied to the memory
  std::vector<std::uint8_t> most_recent;  ///< [2, events]: 1 if the message is the node's last one
  std::vector<std::uint32_t> edges;  ///< [2, edges]: neighbour, and the node whose neighbour it is
  std::vector<EventId> edge_events;  ///< [edges] the event of each edge

  /// Converts the plan of these events, each of which has one negative destination.
  static StaticStep of(const StepPlan& plan, std::span<const EventId> events,
                       const EventView& view);
};

}  // namespace frugal::tgn
