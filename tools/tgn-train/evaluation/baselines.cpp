#include "tools/tgn-train/evaluation/baselines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <sstream>

#include "tools/tgn-train/history/pair_history.h"
#include "tools/tgn-train/history/typed_nodes.h"

namespace frugal::tgn {
namespace {

/// Never is 0; moments are below kNoEvent, so that nothing overflows.
std::uint32_t recency_key(EventId moment) { return moment == kNoEvent ? 0 : moment + 1; }

/// Floats in their order.
std::uint32_t float_key(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits >> 31 != 0 ? ~bits : bits | 0x80000000U;
}

/// The later of two moments.
EventId later(EventId a, EventId b) {
  if (a == kNoEvent || b == kNoEvent) return a == kNoEvent ? b : a;
  return a < b ? b : a;
}

std::uint32_t local_key(const PairFacts& facts, LocalSignal signal) {
  switch (signal) {
    case LocalSignal::link_recency: return recency_key(facts.link);
    case LocalSignal::pair_recency: return recency_key(later(facts.link, facts.reply));
    case LocalSignal::link_count: return facts.link_count;
    case LocalSignal::none: break;
  }
  return 0;
}

std::uint32_t global_key(const PairFacts& facts, const RecencyPopularity::Order& order) {
  switch (order.global) {
    case GlobalSignal::destination_recency: return recency_key(facts.destination);
    case GlobalSignal::activity_recency: return recency_key(facts.activity);
    case GlobalSignal::destination_count: return facts.destination_count;
    case GlobalSignal::popularity: return float_key(facts.popularity[order.half_life]);
    case GlobalSignal::none: break;
  }
  return 0;
}

/// Maps a count below 2^32 to [0, 1]. Floats distinguish neighbouring counts up to about 250,000.
float share_of(double count) { return static_cast<float>(std::log2(count + 1) / 32); }

/// Maps a decayed count, given its binary logarithm, to [0, 1]: 1 to one half, and every positive
/// count to more than 0.
float share_of_power(float exponent) {
  return exponent > 0 ? 0.5F + exponent / 64 : 0.5F / (1 - exponent);
}

const char* name_of(LocalSignal signal) {
  switch (signal) {
    case LocalSignal::link_recency: return "link_recency";
    case LocalSignal::pair_recency: return "pair_recency";
    case LocalSignal::link_count: return "link_count";
    case LocalSignal::none: break;
  }
  return "";
}

const char* name_of(GlobalSignal signal) {
  switch (signal) {
    case GlobalSignal::destination_recency: return "destination_recency";
    case GlobalSignal::activity_recency: return "activity_recency";
    case GlobalSignal::destination_count: return "destination_count";
    case GlobalSignal::popularity: return "popularity";
    case GlobalSignal::none: break;
  }
  return "";
}

}  // namespace

std::uint64_t RecencyPopularity::key(const PairFacts& facts, EventId /*event*/) const {
  return std::uint64_t{local_key(facts, order_.local)} << 32 | global_key(facts, order_);
}

float RecencyPopularity::closeness(EventId moment, EventId event) const {
  if (moment == kNoEvent) return 0;
  return static_cast<float>(1 / (1 + std::log2(1 + times_.between(moment, event) / time_unit_)));
}

float RecencyPopularity::score(const PairFacts& facts, EventId event) const {
  float local = 0;
  switch (order_.local) {
    case LocalSignal::link_recency: local = closeness(facts.link, event); break;
    case LocalSignal::pair_recency: local = closeness(later(facts.link, facts.reply), event); break;
    case LocalSignal::link_count: local = share_of(facts.link_count); break;
    case LocalSignal::none: break;
  }
  if (local > 0) return 1 + local;
  switch (order_.global) {
    case GlobalSignal::destination_recency: return closeness(facts.destination, event);
    case GlobalSignal::activity_recency: return closeness(facts.activity, event);
    case GlobalSignal::destination_count: return share_of(facts.destination_count);
    case GlobalSignal::popularity: return share_of_power(facts.popularity[order_.half_life]);
    case GlobalSignal::none: break;
  }
  return 0;
}

std::uint64_t CoOccurrenceOrder::key(const PairFacts& facts, EventId /*event*/) const {
  return std::uint64_t{float_key(facts.co_occurrence)} << 32 | facts.destination_count;
}

float CoOccurrenceOrder::score(const PairFacts& facts, EventId /*event*/) const {
  return facts.co_occurrence > 0 ? 1 + facts.co_occurrence : share_of(facts.destination_count);
}

std::string order_text(const RecencyPopularity::Order& order) {
  std::string text = name_of(order.local);
  const std::string global = name_of(order.global);
  if (!text.empty() && !global.empty()) text += ',';
  return text + global;
}

namespace {

/// In events.
constexpr double kHalfLives[] = {10, 100, 1000, 10000};

using Order = RecencyPopularity::Order;

/// One of those that compete for the name in its result.
struct Entrant {
  std::unique_ptr<LinkBaseline> baseline;
  BaselineResult result;
};

std::string detail_of(const Order& order) {
  std::string detail = order_text(order);
  if (order.global == GlobalSignal::popularity) {
    detail += " with a half-life of " +
              std::to_string(static_cast<long>(kHalfLives[order.half_life])) + " events";
  }
  return detail;
}

/// Input of the pass within types: the events between roles (TypedNodes), and the roles of nodes.
struct WithinTypes {
  explicit WithinTypes(const EventView& events) : types(events.types), roles(events) {}

  NodeId role_of(NodeId candidate, EventId event) const {
    return roles.nodes.destination(candidate, types[event]);
  }

  std::span<const std::uint16_t> types;
  TypedEvents roles;
};

class BaselineRun {
 public:
  BaselineRun(const EventView& events, const EvaluationParts& parts,
              const EvaluationNegatives& negatives, const BaselineOptions& options,
              const WithinTypes* typed = nullptr)
      : all_events_(events),
        typed_(typed),
        events_(typed == nullptr ? events : typed->roles.view),
        parts_(parts),
        negatives_(negatives),
        options_(options),
        history_(events_, kHalfLives) {
    enter_all();
  }

  std::vector<BaselineResult> run() {
    for (EventId begin = 0, end = 0; begin < parts_.end; begin = end) {
      end = options_.strictly_earlier ? events_.next_time(begin, parts_.end) : begin + 1;
      for (EventId event = begin; event < end; ++event) {
        if (event == parts_.test_begin) keep_best();
        if (event < parts_.valid_begin) continue;
        if (options_.check) options_.check();
        evaluate(event);
      }
      for (EventId event = begin; event < end; ++event) history_.add(event);
    }
    keep_best();
    std::vector<BaselineResult> results;
    for (Entrant& entrant : entrants_) results.push_back(std::move(entrant.result));
    return results;
  }

 private:
  void enter(const char* name, std::string detail, std::unique_ptr<LinkBaseline> baseline) {
    Entrant& entrant = entrants_.emplace_back();
    entrant.baseline = std::move(baseline);
    entrant.result.name = std::string(typed_ == nullptr ? "" : "typed_") + name;
    entrant.result.detail = std::move(detail);
  }
  void enter(const char* name, const Order& order, double time_unit) {
    enter(name, detail_of(order),
          std::make_unique<RecencyPopularity>(events_.times, order, time_unit));
  }
  void enter_all();
  /// Keeps, of all entrants with the same name, the one with the best validation; of equal ones the
  /// first.
  void keep_best();
  double merit(const Entrant& entrant) const {
    return options_.valid_ranks != nullptr ? entrant.result.valid.mrr()
                                           : entrant.result.valid.average_precision();
  }
  void evaluate(EventId event);
  void compare(EventId event, NodeId negative, LinkMetrics BaselineResult::*metrics);
  void rank(EventId event, LinkMetrics BaselineResult::*metrics);

  NodeId candidate(NodeId node, EventId event) const {
    return typed_ == nullptr ? node : typed_->role_of(node, event);
  }

  const EventView& all_events_;
  const WithinTypes* typed_;  ///< null: of all types together
  const EventView& events_;   ///< between the nodes of history_
  const EvaluationParts& parts_;
  const EvaluationNegatives& negatives_;
  const BaselineOptions& options_;
  InteractionHistory history_;
  std::vector<Entrant> entrants_;
  std::vector<NodeId> candidates_;
  std::vector<PairFacts> facts_;  ///< facts of the candidates
};

void BaselineRun::enter_all() {
  const EventTimes& times = events_.times;
  const double unit = mean_gap(times, 0, parts_.valid_begin);
  const double window = parts_.valid_begin < parts_.test_begin
                            ? times.between(parts_.valid_begin, parts_.test_begin - 1)
                            : 0;
  enter("edgebank", "link", std::make_unique<EdgeBank>(times));
  std::ostringstream within;
  within << "link within " << window;
  enter("edgebank_window", within.str(), std::make_unique<EdgeBank>(times, window));
  enter("recency", Order{LocalSignal::link_recency, GlobalSignal::destination_recency}, unit);
  enter("popularity", Order{LocalSignal::none, GlobalSignal::destination_count}, unit);
  for (std::size_t i = 0; i < std::size(kHalfLives); ++i) {
    enter("poptrack", Order{LocalSignal::none, GlobalSignal::popularity, i}, unit);
  }
  enter("cooccurrence", "near the source's last 10 destinations, then destination_count",
        std::make_unique<CoOccurrenceOrder>());
  for (const LocalSignal local : {LocalSignal::link_recency, LocalSignal::pair_recency}) {
    // Within a type no event is a reply, and destinations have no other activity.
    if (typed_ != nullptr && local == LocalSignal::pair_recency) continue;
    for (const Order& order :
         {Order{local, GlobalSignal::destination_recency},
          Order{local, GlobalSignal::activity_recency}, Order{local, GlobalSignal::popularity, 2},
          Order{local, GlobalSignal::popularity, 3}}) {
      enter("heuristic", order, unit);
    }
  }
}

void BaselineRun::keep_best() {
  std::vector<Entrant> best;
  for (Entrant& entrant : entrants_) {
    if (best.empty() || best.back().result.name != entrant.result.name) {
      best.push_back(std::move(entrant));
    } else if (merit(entrant) > merit(best.back())) {
      best.back() = std::move(entrant);
    }
  }
  entrants_ = std::move(best);
}

void BaselineRun::compare(EventId event, NodeId negative, LinkMetrics BaselineResult::*metrics) {
  const NodeId source = events_.sources[event];
  const PairFacts link = history_.facts(source, events_.destinations[event], event);
  const PairFacts other = history_.facts(source, negative, event);
  for (Entrant& entrant : entrants_) {
    (entrant.result.*metrics)
        .add(entrant.baseline->score(link, event), entrant.baseline->score(other, event));
  }
}

void BaselineRun::rank(EventId event, LinkMetrics BaselineResult::*metrics) {
  const NodeId source = events_.sources[event];
  const PairFacts link = history_.facts(source, events_.destinations[event], event);
  for (Entrant& entrant : entrants_) {
    const std::uint64_t key = entrant.baseline->key(link, event);
    std::uint64_t above = 0, equal = 0;
    for (const PairFacts& facts : facts_) {
      const std::uint64_t other = entrant.baseline->key(facts, event);
      above += other > key ? 1 : 0;
      equal += other == key ? 1 : 0;
    }
    (entrant.result.*metrics).add_rank(above, equal);
  }
}

void BaselineRun::evaluate(EventId event) {
  const bool tests = event >= parts_.test_begin,
             inductive = parts_.is_inductive(all_events_, event);
  const auto metrics = tests ? &BaselineResult::test : &BaselineResult::valid;
  const auto new_metrics = tests ? &BaselineResult::new_test : &BaselineResult::new_valid;
  compare(event, candidate(negatives_.draw(event), event), metrics);
  if (inductive) compare(event, candidate(negatives_.draw_inductive(event), event), new_metrics);
  const NegativeSampler* ranks = tests ? options_.test_ranks : options_.valid_ranks;
  if (ranks == nullptr) return;
  ranks->draw(event, candidates_);
  for (NodeId& node : candidates_) node = candidate(node, event);
  history_.facts(events_.sources[event], candidates_, event, facts_);
  rank(event, metrics);
  if (inductive) rank(event, new_metrics);
}

}  // namespace

std::vector<BaselineResult> evaluate_baselines(const EventView& events,
                                               const EvaluationParts& parts,
                                               const EvaluationNegatives& negatives,
                                               const BaselineOptions& options) {
  std::vector<BaselineResult> results = BaselineRun(events, parts, negatives, options).run();
  if (events.types.empty()) return results;
  const WithinTypes typed(events);
  for (BaselineResult& result : BaselineRun(events, parts, negatives, options, &typed).run()) {
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace frugal::tgn
