#pragma once
#include <cstdint>
#include <vector>

#include "tools/tgn-train/data/event_stream.h"

namespace frugal::tgn {

enum class EventPart : std::uint8_t { train, valid, test };

struct EventSplitOptions {
  /// Quantiles of the times after which validation and test begin.
  double train_until = 0.70, valid_until = 0.85;
  /// Share of the nodes that are kept out of training, drawn from those in later events; 0: none.
  double new_nodes = 0.1;
  std::uint64_t seed = 2020;
};

/// Splits events into training, validation and test, as twitter-research/tgn
/// (utils/data_processing): by quantiles of time. Some nodes that occur later, and all their
/// events, are kept out of training, to test on nodes that training did not see. With seed 2020,
/// the parts equal those of that program.
class EventSplit {
 public:
  /// Fails (bad_input) with the stream's path if a part has no events.
  EventSplit(const EventStream& stream, const EventSplitOptions& options);

  /// Events [begin, end) of the part, including those kept out of training.
  EventId begin(EventPart part) const;
  EventId end(EventPart part) const;
  /// True if nodes are kept out of training.
  bool holds_out() const { return !held_out_.empty(); }
  /// True if an event of the training part is a training event.
  bool trains(NodeId source, NodeId destination) const {
    return held_out_.empty() || (held_out_[source] == 0 && held_out_[destination] == 0);
  }
  /// True if a node occurs in no training event.
  bool is_new(NodeId node) const { return new_[node] != 0; }
  /// Number of events of the part (in training: training events), and of those with a new node.
  std::uint64_t num_events(EventPart part) const;
  std::uint64_t num_new_node_events(EventPart part) const;

 private:
  EventId train_end_ = 0, valid_end_ = 0, num_events_ = 0;
  std::vector<std::uint8_t> held_out_;  ///< [nodes], or empty
  std::vector<std::uint8_t> new_;       ///< [nodes]
  std::uint64_t counts_[3] = {}, new_counts_[3] = {};
};

}  // namespace frugal::tgn
