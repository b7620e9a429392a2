#pragma once
#include <functional>
#include <optional>

#include "tools/tgn-train/evaluation/negative_sampler.h"

namespace frugal::tgn {

/// Events of validation, [valid_begin, test_begin), and of the test, [test_begin, end).
struct EvaluationParts {
  EventId valid_begin = 0, test_begin = 0, end = 0;
  /// True for nodes that do not occur in training events; null: no node is new.
  std::function<bool(NodeId)> is_new;

  /// True if the event has a new node. Such events are also evaluated separately.
  bool is_inductive(const EventView& events, EventId event) const {
    return is_new && (is_new(events.sources[event]) || is_new(events.destinations[event]));
  }
};

/// Negative destination of an event; nothing: a uniform one.
using GivenNegative = std::function<std::optional<NodeId>(EventId)>;

/// The negative destination of each event of validation and test. It is a function of the event's
/// number only, so that everything evaluated on a stream has the same negatives. As in
/// twitter-research/tgn, it is drawn from the destinations of all events; for the separate
/// evaluation of events with new nodes, from the destinations of those events in their part. The
/// event's own destination, which the authors' code may draw, is drawn again: with few destinations
/// no model could tell the two apart.
class EvaluationNegatives {
 public:
  /// given: negatives to use instead, where there are; may be null.
  EvaluationNegatives(const EventView& events, const EvaluationParts& parts, std::uint64_t seed,
                      GivenNegative given = nullptr);

  NodeId draw(EventId event) const {
    if (const auto node = given(event)) return *node;
    return all_.draw_other(event, kAll, happened_[event]);
  }
  /// Requires an event with a new node.
  NodeId draw_inductive(EventId event) const {
    if (const auto node = given(event)) return *node;
    const UniformNegative& some = event < test_begin_ ? new_valid_ : new_test_;
    return some.draw_other(event, kInductive, happened_[event]);
  }
  /// The given negative of an event.
  std::optional<NodeId> given(EventId event) const { return given_ ? given_(event) : std::nullopt; }
  /// Destinations of all events, ascending.
  std::span<const NodeId> destinations() const { return all_.destinations(); }

 private:
  enum Stream : std::uint64_t { kAll = 0x45564131, kInductive };

  EventId test_begin_;
  std::span<const NodeId> happened_;  ///< destination of each event
  UniformNegative all_, new_valid_, new_test_;
  GivenNegative given_;
};

}  // namespace frugal::tgn
