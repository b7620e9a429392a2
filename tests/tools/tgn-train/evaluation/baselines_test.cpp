#include "tools/tgn-train/evaluation/baselines.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "tests/tools/tgn-train/evaluation/small_events.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

struct Setting {
  explicit Setting(const SmallEvents& small)
      : view(small.view()),
        events(view),
        parts(parts_of(view)),
        negatives(view, parts, 3),
        ranks(events, parts.valid_begin, distinct_destinations(view), {NegativeKind::all, 1, 0}) {
    options.valid_ranks = options.test_ranks = &ranks;
  }
  static EvaluationParts parts_of(const EventView& view) {
    EvaluationParts parts;
    parts.valid_begin = view.size() / 2;
    parts.test_begin = view.size() * 3 / 4;
    parts.end = view.size();
    parts.is_new = [](NodeId node) { return node == 2 || node == 10; };
    return parts;
  }
  std::vector<BaselineResult> run() const {
    return evaluate_baselines(view, parts, negatives, options);
  }

  EventView view;
  SourceEvents events;
  EvaluationParts parts;
  EvaluationNegatives negatives;
  DrawnNegatives ranks;
  BaselineOptions options;
};

const BaselineResult& named(const std::vector<BaselineResult>& results, const std::string& name) {
  for (const BaselineResult& result : results) {
    if (result.name == name) return result;
  }
  FAIL("no result of ", name);
  return results[0];
}

/// Mean reciprocal rank in the test of candidates that are compared by two numbers, from the whole
/// stream for every event: `signals(past events, source, candidate)`.
template <class Signals>
double test_mrr(const Setting& setting, bool strictly_earlier, Signals signals) {
  const EventView& view = setting.view;
  double sum = 0;
  std::vector<NodeId> candidates;
  for (EventId event = setting.parts.test_begin; event < setting.parts.end; ++event) {
    const EventId end = strictly_earlier ? view.times.first_at_time_of(event) : event;
    const NodeId source = view.sources[event];
    const auto link = signals(end, source, view.destinations[event]);
    setting.ranks.draw(event, candidates);
    double rank = 1;
    for (const NodeId candidate : candidates) {
      const auto other = signals(end, source, candidate);
      rank += other > link ? 1 : other == link ? 0.5 : 0;
    }
    sum += 1 / rank;
  }
  return sum / (setting.parts.end - setting.parts.test_begin);
}

}  // namespace

TEST_CASE("Every event is scored by what is before it, in time or in the stream") {
  const SmallEvents small = drawn_events(600, 12, 21);
  Setting setting(small);
  const std::size_t view_nodes = small.num_nodes;
  for (const bool strictly_earlier : {true, false}) {
    setting.options.strictly_earlier = strictly_earlier;
    const auto results = setting.run();
    const auto last_meeting = [&](EventId end, NodeId source, NodeId candidate) {
      for (EventId past = end; past-- > 0;) {
        if (small.sources[past] == source && small.destinations[past] == candidate) {
          return small.times[past];
        }
      }
      return std::int64_t{-1};
    };
    const auto recency = [&](EventId end, NodeId source, NodeId candidate) {
      std::int64_t global = -1;
      for (EventId past = 0; past < end; ++past) {
        if (small.destinations[past] == candidate) global = small.times[past];
      }
      return std::pair(last_meeting(end, source, candidate), global);
    };
    const auto popularity = [&](EventId end, NodeId /*source*/, NodeId candidate) {
      return std::count(small.destinations.begin(), small.destinations.begin() + end, candidate);
    };
    const auto bank = [&](EventId end, NodeId source, NodeId candidate) {
      return last_meeting(end, source, candidate) >= 0;
    };
    CHECK(named(results, "recency").test.mrr() ==
          Approx(test_mrr(setting, strictly_earlier, recency)));
    CHECK(named(results, "popularity").test.mrr() ==
          Approx(test_mrr(setting, strictly_earlier, popularity)));
    CHECK(named(results, "edgebank").test.mrr() ==
          Approx(test_mrr(setting, strictly_earlier, bank)));
    const auto co_occurrence = [&](EventId end, NodeId source, NodeId candidate) {
      CoOccurrence counts(view_nodes);
      for (EventId past = 0; past < end; ++past) {
        counts.add(small.sources[past], small.destinations[past]);
      }
      std::vector<CoOccurrenceScore> scores;
      counts.score(source, {&candidate, 1}, scores);
      return std::pair(scores[0].recent, counts.count(candidate));
    };
    CHECK(named(results, "cooccurrence").test.mrr() ==
          Approx(test_mrr(setting, strictly_earlier, co_occurrence)));
  }
}

TEST_CASE("With types, destinations are also known by their events of the type alone") {
  const SmallEvents small = drawn_events(600, 12, 21);
  std::vector<std::uint16_t> types;
  for (std::size_t e = 0; e < small.sources.size(); ++e)
    types.push_back(static_cast<std::uint16_t>(Rng(6, e).below(4)));
  Setting setting(small);
  const std::vector<BaselineResult> plain = setting.run();
  setting.view.types = types;
  const std::vector<BaselineResult> results = setting.run();
  REQUIRE(results.size() == 2 * plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    CHECK(results[i].test.mrr() == plain[i].test.mrr());
    CHECK(results[plain.size() + i].name == "typed_" + plain[i].name);
    CHECK(results[plain.size() + i].test.links() == plain[i].test.links());
    CHECK(results[plain.size() + i].new_test.links() == plain[i].new_test.links());
  }
  double sum = 0;
  std::vector<NodeId> candidates;
  for (EventId event = setting.parts.test_begin; event < setting.parts.end; ++event) {
    const EventId end = setting.view.times.first_at_time_of(event);
    const auto popularity = [&](NodeId candidate) {
      std::size_t count = 0;
      for (EventId past = 0; past < end; ++past)
        count += small.destinations[past] == candidate && types[past] == types[event] ? 1 : 0;
      return count;
    };
    setting.ranks.draw(event, candidates);
    const std::size_t link = popularity(small.destinations[event]);
    double rank = 1;
    for (const NodeId candidate : candidates) {
      const std::size_t other = popularity(candidate);
      rank += other > link ? 1 : other == link ? 0.5 : 0;
    }
    sum += 1 / rank;
  }
  CHECK(named(results, "typed_popularity").test.mrr() ==
        Approx(sum / (setting.parts.end - setting.parts.test_begin)));
  CHECK(named(results, "typed_popularity").test.mrr() != named(results, "popularity").test.mrr());
}

TEST_CASE("All have the same events and negatives; those with new nodes are counted again") {
  const SmallEvents small = drawn_events(600, 12, 22);
  const Setting setting(small);
  const auto results = setting.run();
  std::size_t valid = 0, test = 0;
  for (EventId event = setting.parts.valid_begin; event < setting.parts.end; ++event) {
    const bool inductive = small.sources[event] == 2 || small.destinations[event] == 10;
    (event < setting.parts.test_begin ? valid : test) += inductive ? 1 : 0;
  }
  REQUIRE(results.size() == 7);
  for (const BaselineResult& result : results) {
    CHECK(result.valid.links() == 150);
    CHECK(result.test.links() == 150);
    CHECK(result.test.ranked_links() == 150);
    CHECK(result.new_valid.links() == valid);
    CHECK(result.new_test.links() == test);
    CHECK(result.new_test.ranked_links() == test);
  }
  // The score of a bank is 0 or 1: the area is that of two rates.
  double links = 0, others = 0;
  for (EventId event = setting.parts.test_begin; event < setting.parts.end; ++event) {
    const EventId end = setting.view.times.first_at_time_of(event);
    const auto met = [&](NodeId candidate) {
      for (EventId past = 0; past < end; ++past) {
        if (small.sources[past] == small.sources[event] && small.destinations[past] == candidate) {
          return 1;
        }
      }
      return 0;
    };
    links += met(small.destinations[event]);
    others += met(setting.negatives.draw(event));
  }
  CHECK(named(results, "edgebank").test.auc() == Approx(0.5 + (links - others) / 150 / 2));
}

TEST_CASE("The order that validation prefers is tested") {
  // Who is written to answers at once, as a rule somebody new.
  SmallEvents small;
  small.num_nodes = 200;
  Rng rng(24);
  for (std::int64_t time = 0; time < 800; time += 2) {
    const auto writer = static_cast<NodeId>(rng.below(200));
    const auto reader = static_cast<NodeId>((writer + 1 + rng.below(199)) % 200);
    small.add(writer, reader, time);
    small.add(reader, writer, time + 1);
  }
  const Setting setting(small);
  const auto results = setting.run();
  const BaselineResult& heuristic = named(results, "heuristic");
  CHECK(heuristic.detail.find("pair_recency,") == 0);
  CHECK(heuristic.valid.mrr() > 0.4);
  CHECK(heuristic.test.mrr() > 0.4);
  CHECK(named(results, "recency").test.mrr() < 0.1);
  CHECK(named(results, "poptrack").detail == "popularity with a half-life of 10 events");
}

TEST_CASE("Without ranks average precision chooses, and there is no rank") {
  const SmallEvents small = drawn_events(400, 12, 23);
  Setting setting(small);
  setting.options.valid_ranks = setting.options.test_ranks = nullptr;
  const auto results = setting.run();
  CHECK(results.size() == 7);
  for (const BaselineResult& result : results) {
    CHECK(result.test.ranked_links() == 0);
    CHECK(result.test.average_precision() > 0.4);
  }
}
