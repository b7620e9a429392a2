#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

/// A step under the rules of pyg as the rows that Graphcore's TGN takes (graphcore/examples,
/// gnn/tgn/pytorch/tgn_modules.py): local nodes, whose memory is read and embedded, edges between
/// them, and the events as triples of local nodes. A node that is asked about at moments with
/// different neighbours is as many local nodes.
struct StaticStep {
  std::vector<NodeId> nodes;              ///< of the local nodes
  std::vector<std::uint32_t> triples;     ///< [3, events]: source, destination, other destination
  std::vector<EventId> events;            ///< that the step asks about and memory then learns
  std::vector<std::uint8_t> most_recent;  ///< [2, events]: the node's last message of the step
  std::vector<std::uint32_t> edges;       ///< [2, edges]: neighbour, node that has it
  std::vector<EventId> edge_events;       ///< [edges]

  /// plan: of these events, each with one other destination.
  static StaticStep of(const StepPlan& plan, std::span<const EventId> events,
                       const EventView& view);
};

}  // namespace frugal::tgn
