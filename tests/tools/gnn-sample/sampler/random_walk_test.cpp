#include "tools/gnn-sample/sampler/random_walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// 0 - 1, 0 - 2, 1 - 2, 1 - 3, 1 - 4 (twice), 3 - 5; 6 -> 5 alone; 6 has none.
const std::vector<EdgeId> kOffsets = {0, 2, 7, 9, 11, 13, 15, 15};
const std::vector<NodeId> kNeighbors = {1, 2, 0, 2, 3, 4, 4, 0, 1, 1, 5, 1, 1, 3, 6};
const CsrView kGraph{kOffsets, kNeighbors};

std::vector<NodeId> walk(const WalkOptions& options, const std::vector<NodeId>& starts,
                         std::uint64_t key = 0) {
  std::vector<NodeId> walks(starts.size() * (options.length + 1));
  RandomWalks(kGraph, options).walk(starts, key, walks.data());
  return walks;
}

bool has_edge(NodeId target, NodeId source) {
  const auto row = kGraph.row(target);
  return std::find(row.begin(), row.end(), source) != row.end();
}

/// Chi-square of how walks go on from `v` when they came from `t`.
void check_second_steps(const WalkOptions& options, NodeId t, NodeId v) {
  const std::vector<NodeId> walks = walk(options, std::vector<NodeId>(60000, t));
  std::map<NodeId, double> counts, weights;
  double total = 0, trials = 0;
  for (const NodeId x : kGraph.row(v)) {
    const double w = x == t ? 1 / options.p : has_edge(t, x) ? 1 : 1 / options.q;
    weights[x] += w;
    total += w;
  }
  for (std::size_t i = 0; i < walks.size(); i += 3) {
    if (walks[i + 1] != v) continue;
    ++counts[walks[i + 2]];
    ++trials;
  }
  CHECK(trials > 10000);
  double chi = 0;
  for (const auto& [x, w] : weights) {
    const double expected = trials * w / total;
    chi += (counts[x] - expected) * (counts[x] - expected) / expected;
  }
  CHECK(counts.size() == weights.size());
  const double freedom = static_cast<double>(weights.size()) - 1;
  CHECK(chi < freedom + 5 * std::sqrt(2 * freedom));
}

}  // namespace

TEST_CASE("Walks follow edges and end where there are none") {
  WalkOptions options;
  options.length = 30;
  const std::vector<NodeId> starts = {0, 3, 5, 6, 2, 4};
  const auto walks = walk(options, starts);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const NodeId* row = walks.data() + i * 31;
    CHECK(row[0] == starts[i]);
    for (std::size_t s = 1; s <= 30; ++s) {
      if (row[s] == kNoNode) {
        CHECK((row[s - 1] == kNoNode || kGraph.degree(row[s - 1]) == 0));
      } else {
        CHECK(has_edge(row[s - 1], row[s]));
      }
    }
  }
  CHECK(walks[3 * 31 + 1] == kNoNode);
}

TEST_CASE("Second steps have the weights of node2vec") {
  for (const double p : {0.05, 0.5, 1.0, 4.0}) {
    for (const double q : {0.1, 0.5, 1.0, 3.0}) {
      for (const bool ascend : {true, false}) {
        WalkOptions options;
        options.length = 2;
        options.p = p;
        options.q = q;
        options.sources_ascend = ascend;
        check_second_steps(options, 0, 1);
        check_second_steps(options, 4, 1);
      }
    }
  }
}

TEST_CASE("Second steps have their weights where hardly an edge is accepted") {
  WalkOptions options;
  options.length = 2;
  options.p = options.q = 1e4;
  check_second_steps(options, 4, 1);
  options.p = 1e300;
  options.q = 1e300;
  check_second_steps(options, 3, 1);
  // The one way is back.
  const std::vector<EdgeId> offsets = {0, 1, 2};
  const std::vector<NodeId> neighbors = {1, 0};
  options.length = 1000;
  options.p = 1e9;
  options.q = 1;
  std::vector<NodeId> there_and_back(1001);
  RandomWalks({offsets, neighbors}, options).walk(std::vector<NodeId>{0}, 0, there_and_back.data());
  for (std::size_t s = 0; s <= 1000; ++s) CHECK(there_and_back[s] == s % 2);
}

TEST_CASE("One walk at a time is the same as many, with every option") {
  for (const double p : {1.0, 0.2}) {
    for (const double restart : {0.0, 0.3}) {
      WalkOptions options;
      options.length = 12;
      options.p = p;
      options.q = 1 / p;
      options.restart = restart;
      const std::vector<NodeId> starts(150, 1);
      const auto together = walk(options, starts, 5);
      options.interleave = false;
      CHECK(walk(options, starts, 5) == together);
      CHECK(walk(options, starts, 6) != together);
    }
  }
}

TEST_CASE("Walks go back to where they began as often as is asked for") {
  WalkOptions options;
  options.length = 1;
  options.restart = 0.25;
  const auto walks = walk(options, std::vector<NodeId>(40000, 4));
  double back = 0;
  for (std::size_t i = 1; i < walks.size(); i += 2) back += walks[i] == 4 ? 1 : 0;
  CHECK(std::abs(back - 10000) < 5 * std::sqrt(40000 * 0.25 * 0.75));
}
