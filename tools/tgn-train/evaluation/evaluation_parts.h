#pragma once
#include <functional>

#include "tools/tgn-train/evaluation/negative_sampler.h"

namespace frugal::tgn {

/// Which events validate and test: [valid_begin, test_begin) and [test_begin, end).
struct EvaluationParts {
  EventId valid_begin = 0, test_begin = 0, end = 0;
  /// Whether a node does not occur in what trains; null: none is new.
  std::function<bool(NodeId)> is_new;

  /// Whether the event has a new node: it is evaluated among those, too.
  bool is_inductive(const EventView& events, EventId event) const {
    return is_new && (is_new(events.sources[event]) || is_new(events.destinations[event]));
  }
};

/// The one negative that each event of validation and test is told apart from: by its number alone,
/// so that whatever is evaluated on a stream has the same. As twitter-research/tgn chooses them:
/// among the destinations of all events; where events with new nodes are evaluated for themselves,
/// among the destinations of these in their part.
class EvaluationNegatives {
 public:
  EvaluationNegatives(const EventView& events, const EvaluationParts& parts, std::uint64_t seed);

  NodeId draw(EventId event) const { return all_.draw(event, kAll); }
  /// event: is_inductive().
  NodeId draw_inductive(EventId event) const {
    return (event < test_begin_ ? new_valid_ : new_test_).draw(event, kInductive);
  }
  /// Of all events, ascending.
  std::span<const NodeId> destinations() const { return all_.destinations(); }

 private:
  enum Stream : std::uint64_t { kAll = 0x45564131, kInductive };

  EventId test_begin_;
  UniformNegative all_, new_valid_, new_test_;
};

}  // namespace frugal::tgn
