#pragma once
#include <array>
#include <span>
#include <vector>

#include "tools/tgn-train/data/event_view.h"
#include "tools/tgn-train/evaluation/decayed_popularity.h"
#include "tools/tgn-train/evaluation/pair_table.h"

namespace frugal::tgn {

/// What the past says about a source and a candidate for its next destination. Times are given by
/// the first event that has them, so that equal times are equal; kNoEvent is never.
struct PairFacts {
  static constexpr std::size_t kHalfLives = 4;

  EventId link = kNoEvent;         ///< when the source last met the candidate, as its destination
  EventId reply = kNoEvent;        ///< when the candidate, as a source, last met the source
  EventId destination = kNoEvent;  ///< when the candidate was last a destination
  EventId activity = kNoEvent;     ///< when the candidate last took part in an event
  std::uint32_t link_count = 0, destination_count = 0;
  /// log2 of the decayed counts, by the history's half-lives.
  std::array<float, kHalfLives> popularity = {};
};

/// Meetings so far: what heuristics without learning look at. 16 bytes and a bit a distinct pair,
/// 12 bytes a node and 8 for each half-life.
class InteractionHistory {
 public:
  /// half_lives: in events, of decayed counts of destinations; at most PairFacts::kHalfLives.
  explicit InteractionHistory(const EventView& events, std::span<const double> half_lives = {});

  /// The facts before `event`, of the events that were added.
  PairFacts facts(NodeId source, NodeId candidate, EventId event) const;
  /// Events come in their order.
  void add(EventId event);

  const EventTimes& times() const { return events_.times; }
  const PairTable& pairs() const { return pairs_; }

 private:
  EventView events_;
  PairTable pairs_;
  std::vector<EventId> destination_, activity_;  ///< [nodes]
  std::vector<std::uint32_t> counts_;            ///< [nodes]
  std::vector<DecayedPopularity> popularity_;    ///< by half-life
  EventId moment_ = kNoEvent;                    ///< the first event at the time of the last one
};

}  // namespace frugal::tgn
