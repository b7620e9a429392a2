#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tools/tgn-train/evaluation/evaluation_parts.h"
#include "tools/tgn-train/evaluation/interaction_history.h"
#include "tools/tgn-train/evaluation/link_metrics.h"

namespace frugal::tgn {

/// Predicts links from meetings so far, without learning.
class LinkBaseline {
 public:
  virtual ~LinkBaseline() = default;

  /// Ranks the candidates of one event, exactly: the likelier, the larger.
  virtual std::uint64_t key(const PairFacts& facts, EventId event) const = 0;
  /// The same order to within rounding, on a scale that events share; not negative.
  virtual float score(const PairFacts& facts, EventId event) const = 0;
};

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

/// Expects what was there before: 1 for a source and a destination that met, of late if there is a
/// window, else 0 (EdgeBank: Poursafaei et al., "Towards better evaluation for dynamic link
/// prediction", NeurIPS 2022, section 5; there the window is as long as the validation part).
class EdgeBank : public LinkBaseline {
 public:
  /// window: the longest time since the last meeting that counts.
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

struct BaselineOptions {
  /// Events at the same time do not know of each other, as neighbours of twitter-research/tgn do
  /// not; else each knows all before it in the stream.
  bool strictly_earlier = true;
  /// What destinations are ranked among in each part; null: no ranks. Not owned.
  const NegativeSampler* valid_ranks = nullptr;
  const NegativeSampler* test_ranks = nullptr;
};

struct BaselineResult {
  std::string name;    ///< edgebank, edgebank_window, recency, popularity, poptrack, heuristic
  std::string detail;  ///< what it compares candidates by, what validation chose
  LinkMetrics valid, test;
  LinkMetrics new_valid, new_test;  ///< of the events with new nodes
};

/// Predictions without learning, in one pass over the stream: every event, of training too, is
/// remembered once it was scored. Where there is a choice (of popularity's half-life, of the
/// heuristic's order) validation makes it: by mean reciprocal rank if there are ranks, else by
/// average precision. Tests see the choice alone.
std::vector<BaselineResult> evaluate_baselines(const EventView& events,
                                               const EvaluationParts& parts,
                                               const EvaluationNegatives& negatives,
                                               const BaselineOptions& options);

}  // namespace frugal::tgn
