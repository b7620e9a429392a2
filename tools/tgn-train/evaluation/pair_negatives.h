#pragma once
#include <optional>
#include <vector>

#include "tools/tgn-train/evaluation/negative_sampler.h"

namespace frugal::tgn {

/// Draws a negative destination of an event from pairs that did occur (Poursafaei et al., NeurIPS
/// 2022). The source is the event's, as in the Temporal Graph Benchmark; that paper draws both
/// nodes.
class PairNegatives {
 public:
  enum class Kind : std::uint8_t {
    historical,  ///< pairs of training events that do not occur at the time of the event
    inductive,   ///< pairs of earlier events after training that are in no training event
  };
  /// events: outlives this. train_end: events before it are of training.
  PairNegatives(const SourceEvents& events, EventId train_end, Kind kind, std::uint64_t seed)
      : events_(events), train_end_(train_end), kind_(kind), seed_(seed) {}

  /// One of the destinations, each with equal probability; nothing if there is none. It is a
  /// function of the event's number.
  std::optional<NodeId> draw(EventId event) const;
  /// All destinations that may be drawn, ascending.
  std::vector<NodeId> candidates(EventId event) const;

 private:
  const SourceEvents& events_;
  EventId train_end_;
  Kind kind_;
  std::uint64_t seed_;
};

}  // namespace frugal::tgn
