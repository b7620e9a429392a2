#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/evaluation_parts.h"
#include "tools/tgn-train/evaluation/interaction_history.h"
#include "tools/tgn-train/evaluation/link_metrics.h"

namespace frugal::tgn {

/// Predicts links from past events, without learning.
class LinkBaseline {
 public:
  virtual ~LinkBaseline() = default;

  /// Exact sort key of a candidate of an event: larger means more likely.
  virtual std::uint64_t key(const PairFacts& facts, EventId event) const = 0;
  /// Score with the order of key(), to within rounding, on a scale that is the same for all events;
  /// not negative.
  virtual float score(const PairFacts& facts, EventId event) const = 0;
};

/// First criterion of a comparison of candidates.
enum class LocalSignal : std::uint8_t {
  none,
  link_recency,  ///< time of the source's last event with the candidate
  pair_recency,  ///< as link_recency, in either direction
  link_count,    ///< number of the source's events with the candidate
};
/// Second criterion, for candidates that are equal in the first or have no common event.
enum class GlobalSignal : std::uint8_t {
  none,
  destination_recency,  ///< time of the candidate's last event as a destination
  activity_recency,     ///< time of its last event in either role
  destination_count,    ///< number of its events as a destination
  popularity,           ///< as destination_count, decaying: DecayedPopularity
};

/// Orders candidates lexicographically by recency and popularity. With link_recency, then
/// destination_recency, it is the simplest heuristic of Cornell et al. ("On the power of heuristics
/// in temporal graphs", 2025), which defines four of these signals. pair_recency, activity_recency
/// and the other order, for graphs whose sources are also destinations, are our own.
class RecencyPopularity : public LinkBaseline {
 public:
  struct Order {
    LocalSignal local = LocalSignal::link_recency;
    GlobalSignal global = GlobalSignal::destination_recency;
    std::size_t half_life = 0;  ///< index of the history's half-life, for popularity

    bool operator==(const Order&) const = default;
  };

  /// time_unit: scale of recency in score(), say the mean gap between events. It does not change
  /// the order.
  RecencyPopularity(const EventTimes& times, const Order& order, double time_unit)
      : times_(times), order_(order), time_unit_(time_unit) {}

  std::uint64_t key(const PairFacts& facts, EventId event) const override;
  /// In (1, 2] by the local signal if there was a common event, otherwise in [0, 1] by the global
  /// one.
  float score(const PairFacts& facts, EventId event) const override;

  const Order& order() const { return order_; }

 private:
  /// 1 for the present, falling with the logarithm of the time since `moment`; 0 for never.
  float closeness(EventId moment, EventId event) const;

  EventTimes times_;
  Order order_;
  double time_unit_;
};

/// "link_recency,destination_recency"
std::string order_text(const RecencyPopularity::Order& order);

/// Predicts repetition: 1 if source and destination have had an event, within the window if there
/// is one, otherwise 0 (EdgeBank: Poursafaei et al., "Towards better evaluation for dynamic link
/// prediction", NeurIPS 2022, section 5; its window is as long as the validation part).
class EdgeBank : public LinkBaseline {
 public:
  /// window: longest time since the pair's last event that counts.
  explicit EdgeBank(const EventTimes& times,
                    double window = std::numeric_limits<double>::infinity())
      : times_(times), window_(window) {}

  std::uint64_t key(const PairFacts& facts, EventId event) const override {
    return facts.link != kNoEvent && times_.between(facts.link, event) <= window_ ? 1 : 0;
  }
  float score(const PairFacts& facts, EventId event) const override {
    return static_cast<float>(key(facts, event));
  }

 private:
  EventTimes times_;
  double window_;
};

/// Orders candidates by how closely they belong to the source's last destinations
/// (CoOccurrence), and those that never occurred near one of them by their number of events.
class CoOccurrenceOrder : public LinkBaseline {
 public:
  std::uint64_t key(const PairFacts& facts, EventId event) const override;
  /// Above 1 for candidates that occurred near one of the source's destinations, otherwise in
  /// [0, 1].
  float score(const PairFacts& facts, EventId event) const override;
};

struct BaselineOptions {
  /// If true, an event does not see others at the same time, like neighbours in
  /// twitter-research/tgn. Otherwise it sees all events before it in the stream.
  bool strictly_earlier = true;
  /// Destinations to rank among in each part; null: no ranks. Not owned.
  const NegativeSampler* valid_ranks = nullptr;
  const NegativeSampler* test_ranks = nullptr;
  /// Called before each event that is evaluated, and may throw; may be null.
  std::function<void()> check = nullptr;
};

struct BaselineResult {
  std::string name;    ///< e.g. edgebank, recency, popularity, cooccurrence, heuristic
  std::string detail;  ///< its criteria, and what validation chose
  LinkMetrics valid, test;
  LinkMetrics new_valid, new_test;  ///< metrics of the events with new nodes
};

/// Evaluates all baselines in one pass over the stream. If events have edge types, a second pass
/// counts a destination's events of the type alone. The names of its baselines begin with "typed_".
/// Every event, also of training, is added to the history after it was scored. Validation chooses
/// popularity's half-life and the heuristic's order, by mean reciprocal rank if there are ranks,
/// otherwise by average precision. Tests only see the chosen ones.
std::vector<BaselineResult> evaluate_baselines(const EventView& events,
                                               const EvaluationParts& parts,
                                               const EvaluationNegatives& negatives,
                                               const BaselineOptions& options);

}  // namespace frugal::tgn
