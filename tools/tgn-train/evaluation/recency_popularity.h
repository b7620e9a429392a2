#pragma once
#include <cstdint>
#include <string>

#include "tools/tgn-train/evaluation/link_baseline.h"

namespace frugal::tgn {

/// What candidates are compared by before anything else ...
enum class LocalSignal : std::uint8_t {
  none,
  link_recency,  ///< when the source last met the candidate
  pair_recency,  ///< the same in either direction: also when the candidate, as a source, met it
  link_count,    ///< how often the source met the candidate
};
/// ... and, where that is equal or there was no meeting, by this.
enum class GlobalSignal : std::uint8_t {
  none,
  destination_recency,  ///< when the candidate was last a destination
  activity_recency,     ///< when it last took part in an event
  destination_count,    ///< how often it was a destination
  popularity,           ///< the same with the past fading: DecayedPopularity
};

/// A lexicographic order of candidates by recency and popularity. With link_recency, then
/// destination_recency, it is the simplest of the heuristics of Cornell et al. ("On the power of
/// heuristics in temporal graphs", 2025), which define four of these signals; replies, activity and
/// the other order of evidence for graphs whose sources are destinations too are ours.
class RecencyPopularity : public LinkBaseline {
 public:
  struct Order {
    LocalSignal local = LocalSignal::link_recency;
    GlobalSignal global = GlobalSignal::destination_recency;
    std::size_t half_life = 0;  ///< number of the history's, for popularity

    bool operator==(const Order&) const = default;
  };

  /// time_unit: a time after which something is no longer new, say the mean gap between events; it
  /// scales score() and changes no order.
  RecencyPopularity(const EventTimes& times, const Order& order, double time_unit)
      : times_(times), order_(order), time_unit_(time_unit) {}

  std::uint64_t key(const PairFacts& facts, EventId event) const override;
  /// In (1, 2] by the local signal where there was a meeting, else in [0, 1] by the global one.
  float score(const PairFacts& facts, EventId event) const override;

  const Order& order() const { return order_; }

 private:
  /// 1 for now, falling with the logarithm of the time since `moment`; 0 for never.
  float closeness(EventId moment, EventId event) const;

  EventTimes times_;
  Order order_;
  double time_unit_;
};

/// "link_recency,destination_recency"
std::string order_text(const RecencyPopularity::Order& order);

}  // namespace frugal::tgn
