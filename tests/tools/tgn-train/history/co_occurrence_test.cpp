#include "tools/tgn-train/history/co_occurrence.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::tgn;
using doctest::Approx;

namespace {

constexpr std::size_t kNearSources = 6, kNearNodes = 106;

/// The definition, in double, from all events.
struct PlainCounts {
  std::map<NodeId, std::vector<NodeId>> past;
  std::map<std::pair<NodeId, NodeId>, double> near;
  std::map<NodeId, double> counts;

  void add(NodeId source, NodeId destination) {
    std::vector<NodeId>& before = past[source];
    for (std::size_t j = 0; j < std::min<std::size_t>(10, before.size()); ++j) {
      const NodeId earlier = before[before.size() - 1 - j];
      near[{earlier, destination}] += std::pow(0.8, j);
      near[{destination, earlier}] += std::pow(0.8, j) / 2;
    }
    before.push_back(destination);
    counts[destination] += 1;
  }
  double score(NodeId source, NodeId candidate, std::size_t reach, double fade) {
    const std::vector<NodeId>& before = past[source];
    double sum = 0;
    for (std::size_t j = 0; j < std::min(reach, before.size()); ++j) {
      const NodeId earlier = before[before.size() - 1 - j];
      sum += std::pow(fade, j) * near[{earlier, candidate}] / std::sqrt(counts[earlier] + 1);
    }
    return sum / std::sqrt(counts[candidate] + 10);
  }
};

std::vector<NodeId> near_destinations() {
  std::vector<NodeId> nodes(kNearNodes - kNearSources);
  std::iota(nodes.begin(), nodes.end(), static_cast<NodeId>(kNearSources));
  return nodes;
}

template <class Add>
void draw_near_events(std::size_t count, const Add& add) {
  Rng rng(5);
  for (std::size_t i = 0; i < count; ++i) {
    const auto source = static_cast<NodeId>(rng.below(kNearSources));
    add(source,
        static_cast<NodeId>(kNearSources + rng.below(1 + rng.below(kNearNodes - kNearSources))));
  }
}

bool same_scores(const CoOccurrenceScore& a, const CoOccurrenceScore& b) {
  return a.next == b.next && a.recent == b.recent && a.lasting == b.lasting;
}

}  // namespace

TEST_CASE("Scores of co-occurrence are the definition's, for many candidates and for one") {
  CoOccurrence counts(kNearNodes);
  PlainCounts plain;
  std::size_t events = 0;
  draw_near_events(400, [&](NodeId source, NodeId destination) {
    if (++events % 20 == 0) {
      std::vector<CoOccurrenceScore> all, one;
      const std::vector<NodeId> nodes = near_destinations();
      counts.score(source, nodes, all);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        CHECK(all[i].next == Approx(plain.score(source, nodes[i], 2, 0.8)));
        CHECK(all[i].recent == Approx(plain.score(source, nodes[i], 10, 0.8)));
        CHECK(all[i].lasting == Approx(plain.score(source, nodes[i], 32, 0.97)));
        counts.score(source, {&nodes[i], 1}, one);
        CHECK(same_scores(one[0], all[i]));
      }
      std::vector<NodeId> best;
      counts.best(source, 5, best);
      REQUIRE(best.size() <= 5);
      for (std::size_t i = 0; i < nodes.size() && !best.empty(); ++i) {
        if (std::find(best.begin(), best.end(), nodes[i]) != best.end()) continue;
        CHECK(all[i].lasting <= all[best.back() - kNearSources].lasting);
      }
    }
    counts.add(source, destination);
    plain.add(source, destination);
  });
}

TEST_CASE("A destination that occurs near many keeps the most frequent ones, and bounded memory") {
  const std::size_t many = 3 * CoOccurrence::kMaxEntries;
  CoOccurrence counts(2 + many);
  for (std::size_t i = 0; i < many; ++i) {
    counts.add(0, 2);
    counts.add(0, static_cast<NodeId>(3 + i % (many - 1)));
    counts.add(0, 3);
  }
  Document document;
  counts.save(document, "c.", 2 + many);
  const auto offsets = document.at("c.near.offsets").as<std::uint64_t>();
  CHECK(offsets[3] - offsets[2] <= CoOccurrence::kMaxEntries);
  CHECK(offsets[3] - offsets[2] > CoOccurrence::kMaxEntries / 3);
  std::vector<NodeId> best;
  counts.best(0, 2, best);
  CHECK((best[0] == 2 || best[0] == 3));
}

TEST_CASE(
    "Counts of co-occurrence continue from a saved state to the bit, and refuse a damaged one") {
  CoOccurrence whole(kNearNodes), first(kNearNodes), second(kNearNodes);
  std::size_t events = 0;
  draw_near_events(300, [&](NodeId source, NodeId destination) {
    whole.add(source, destination);
    if (events == 150) {
      Document document;
      first.save(document, "c.", kNearNodes);
      second.load(document, "state", "c.", kNearNodes);
    }
    (events++ < 150 ? first : second).add(source, destination);
  });
  std::vector<CoOccurrenceScore> a, b;
  for (NodeId source = 0; source < kNearSources; ++source) {
    whole.score(source, near_destinations(), a);
    second.score(source, near_destinations(), b);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(same_scores(a[i], b[i]));
  }
  Document damaged;
  whole.save(damaged, "c.", kNearNodes);
  damaged.at("c.weights").as<float>()[3] = NAN;
  CHECK_THROWS_AS(second.load(damaged, "state", "c.", kNearNodes), Error);
  damaged = {};
  whole.save(damaged, "c.", kNearNodes);
  damaged.at("c.near").as<NodeId>()[0] = kNearNodes;
  CHECK_THROWS_AS(second.load(damaged, "state", "c.", kNearNodes), Error);
}
