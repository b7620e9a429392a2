#pragma once
#include <cstdint>
#include <vector>

#include "tools/tgn-train/data/event_stream.h"

namespace frugal::tgn {

enum class EventPart : std::uint8_t { train, valid, test };

struct EventSplitOptions {
  /// Quantiles of the times behind which validation and test begin.
  double train_until = 0.70, valid_until = 0.85;
  /// Share of the nodes that are kept out of training, drawn among those seen after training; 0:
  /// none.
  double new_nodes = 0.1;
  std::uint64_t seed = 2020;
};

/// Which events train, validate and test, as twitter-research/tgn splits them
/// (utils/data_processing): by quantiles of time; some nodes that occur later are kept out of
/// training, with all their events there, so that what is learnt can be tested on nodes that were
/// never seen. With its seed, 2020, the parts are those of that program, to the event.
class EventSplit {
 public:
  /// Fails (bad_input) with the stream's path where a part has no events.
  EventSplit(const EventStream& stream, const EventSplitOptions& options);

  /// Events [begin, end) of the part, with those that are kept out of training.
  EventId begin(EventPart part) const;
  EventId end(EventPart part) const;
  /// Whether nodes are kept out of training.
  bool holds_out() const { return !held_out_.empty(); }
  /// Whether an event of the training part trains.
  bool trains(NodeId source, NodeId destination) const {
    return held_out_.empty() || (held_out_[source] == 0 && held_out_[destination] == 0);
  }
  /// Whether a node does not occur in any event that trains.
  bool is_new(NodeId node) const { return new_[node] != 0; }
  /// The events of the part that train or, elsewhere, all; of these the ones with a new node.
  std::uint64_t num_events(EventPart part) const;
  std::uint64_t num_new_node_events(EventPart part) const;

 private:
  EventId train_end_ = 0, valid_end_ = 0, num_events_ = 0;
  std::vector<std::uint8_t> held_out_;  ///< [nodes], or empty
  std::vector<std::uint8_t> new_;       ///< [nodes]
  std::uint64_t counts_[3] = {}, new_counts_[3] = {};
};

}  // namespace frugal::tgn
