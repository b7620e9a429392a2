#include "tools/gnn-sample/sampler/neighbor_draw.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "libcore/base/rng.h"
#include "tools/gnn-sample/sampler/alias_tables.h"
#include "tools/gnn-sample/sampler/fanouts.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// Nodes with rows of their own.
struct Rows {
  std::vector<EdgeId> offsets = {0};
  std::vector<NodeId> neighbors;

  explicit Rows(const std::vector<std::vector<NodeId>>& rows) {
    for (const auto& row : rows) {
      neighbors.insert(neighbors.end(), row.begin(), row.end());
      offsets.push_back(neighbors.size());
    }
  }
  CsrView csr() const { return {offsets, neighbors}; }
};

/// The edges drawn for `nodes` together, of each its places in its row.
std::vector<std::vector<std::uint32_t>> draw(NeighborDraw& way, const CsrView& graph,
                                             const std::vector<NodeId>& nodes, std::uint32_t fanout,
                                             std::uint64_t key, std::uint64_t first = 0) {
  std::vector<EdgeId> begin;
  std::vector<std::uint32_t> size, taken(nodes.size());
  std::uint64_t room = 0;
  for (const NodeId v : nodes) {
    begin.push_back(graph.offsets[v]);
    size.push_back(graph.degree(v));
    room += way.at_most(size.back(), fanout);
  }
  std::vector<EdgeId> picks(room + 1, 999);
  DrawTargets targets;
  targets.nodes = nodes;
  targets.begin = begin.data();
  targets.size = size.data();
  targets.first = first;
  targets.key = key;
  targets.fanout = fanout;
  const std::size_t n = way.draw(targets, taken.data(), picks.data());
  CHECK(n == std::accumulate(taken.begin(), taken.end(), std::size_t{0}));
  CHECK(picks.back() == 999);
  std::vector<std::vector<std::uint32_t>> drawn;
  const EdgeId* at = picks.data();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto& row = drawn.emplace_back();
    for (std::uint32_t j = 0; j < taken[i]; ++j) {
      row.push_back(static_cast<std::uint32_t>(*at++ - begin[i]));
    }
  }
  return drawn;
}

using Counts = std::map<std::vector<std::uint32_t>, double>;

/// What a node's draws are in so many trials.
Counts count_draws(NeighborDraw& way, const CsrView& graph, NodeId node, std::uint32_t fanout,
                   std::uint64_t trials) {
  Counts counts;
  for (std::uint64_t t = 0; t < trials; ++t) {
    ++counts[draw(way, graph, {node}, fanout, 7 + t / 1000, t % 1000)[0]];
  }
  return counts;
}

/// Chi-square of counts against probabilities that sum to 1, and its limit: five standard
/// deviations above the mean.
void check_fit(const Counts& counts, const Counts& probabilities, double trials) {
  double chi = 0;
  for (const auto& [outcome, p] : probabilities) {
    const auto found = counts.find(outcome);
    const double n = found == counts.end() ? 0 : found->second;
    chi += (n - p * trials) * (n - p * trials) / (p * trials);
  }
  const double freedom = static_cast<double>(probabilities.size()) - 1;
  CHECK(chi < freedom + 5 * std::sqrt(2 * freedom) + 10);
  for (const auto& [outcome, n] : counts) CHECK(probabilities.contains(outcome));
}

/// Probabilities of all sequences of k different edges of those weights, one after the other.
void add_sequences(const std::vector<float>& weights, std::uint32_t k,
                   std::vector<std::uint32_t>& sequence, double p, Counts& all) {
  if (sequence.size() == k) {
    all[sequence] = p;
    return;
  }
  double left = 0;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    if (std::find(sequence.begin(), sequence.end(), i) == sequence.end()) left += weights[i];
  }
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0 || std::find(sequence.begin(), sequence.end(), i) != sequence.end())
      continue;
    sequence.push_back(i);
    add_sequences(weights, k, sequence, p * weights[i] / left, all);
    sequence.pop_back();
  }
}

}  // namespace

TEST_CASE("Weighted draws with repetition follow the weights") {
  const Rows rows({{5, 6, 7}, {1, 2, 3, 4, 5}});
  const std::vector<float> weights = {1, 1, 1, 0.5F, 0, 3, 2, 4.5F};
  const AliasTables alias(rows.csr(), weights);
  const auto way = weighted_draw({rows.neighbors.data(), weights, &alias}, true);
  Counts probabilities;
  for (std::uint32_t i : {0, 2, 3, 4}) probabilities[{i}] = weights[3 + i] / 10.0;
  check_fit(count_draws(*way, rows.csr(), 1, 1, 40000), probabilities, 40000);
  CHECK(draw(*way, rows.csr(), {1}, 7, 1)[0].size() == 7);
}

TEST_CASE("Weighted draws without repetition are drawn one after the other") {
  // The second row is so uneven that the tables give up and the clocks finish it.
  const std::vector<std::vector<float>> weights = {
      {1, 2, 3, 0, 4}, {1000, 1, 0.5F, 0.25F, 1}, {1, 1, 1, 1}};
  std::vector<std::vector<NodeId>> lists;
  std::vector<float> all;
  for (const auto& row : weights) {
    lists.emplace_back(row.size());
    all.insert(all.end(), row.begin(), row.end());
  }
  const Rows rows(lists);
  const AliasTables alias(rows.csr(), all);
  const auto way = weighted_draw({rows.neighbors.data(), all, &alias}, false);
  for (NodeId v = 0; v < 3; ++v) {
    Counts probabilities;
    std::vector<std::uint32_t> sequence;
    add_sequences(weights[v], 3, sequence, 1, probabilities);
    check_fit(count_draws(*way, rows.csr(), v, 3, 60000), probabilities, 60000);
  }
}

/// Draws from a row one after the other by the alias method, as WeightedDraw begins.
std::vector<std::uint32_t> plain_draws(const AliasList& list, Rng rng, bool replace,
                                       std::uint32_t fanout) {
  std::vector<std::uint32_t> drawn;
  const std::uint32_t tries = replace ? fanout : 4 * fanout;
  for (std::uint32_t j = 0; j < tries && drawn.size() < fanout; ++j) {
    const auto place = static_cast<std::uint32_t>(rng.below(list.size));
    const auto coin = static_cast<std::uint32_t>(rng.next() >> 32);
    const std::uint32_t edge = alias_entry(list, place, coin);
    if (replace || std::find(drawn.begin(), drawn.end(), edge) == drawn.end()) {
      drawn.push_back(edge);
    }
  }
  return drawn;
}

TEST_CASE("Weighted draws of a row are those of the alias method, whatever other rows there are") {
  // Without edges, of weight 0 alone, some of weight 0, and more than 16 bits number.
  std::vector<std::vector<NodeId>> lists;
  for (const std::size_t size : {0, 1, 5, 40, 3000, 70000, 1500, 16, 300, 2000}) {
    lists.emplace_back(size);
  }
  const Rows rows(lists);
  std::vector<float> weights(rows.neighbors.size());
  Rng rng(3);
  for (float& weight : weights) weight = static_cast<float>(rng.uniform(0.5, 2));
  for (EdgeId e = 1; e < 6; ++e) weights[e] = 0;
  for (EdgeId e = 6; e < 46; e += 7) weights[e] = 0;
  const AliasTables alias(rows.csr(), weights);
  std::vector<NodeId> nodes(lists.size());
  std::iota(nodes.begin(), nodes.end(), 0U);
  for (const bool replace : {false, true}) {
    const auto way = weighted_draw({rows.neighbors.data(), weights, &alias}, replace);
    for (const std::uint32_t fanout : {0U, 1U, 15U, 17U, 256U, 257U, 1000U, 1024U, 1025U, 3000U}) {
      CAPTURE(replace);
      CAPTURE(fanout);
      const auto together = draw(*way, rows.csr(), nodes, fanout, 5);
      for (const NodeId v : nodes) {
        CAPTURE(v);
        CHECK(draw(*way, rows.csr(), {v}, fanout, 5, v)[0] == together[v]);
        const std::uint32_t degree = rows.csr().degree(v);
        const std::uint32_t drawable = alias.num_drawable(v, degree);
        if (drawable == 0 || (!replace && (drawable <= fanout || fanout > 256))) continue;
        const auto plain =
            plain_draws(alias.row(rows.offsets[v], degree), Rng(5, v), replace, fanout);
        REQUIRE(together[v].size() == fanout);
        CHECK(std::equal(plain.begin(), plain.end(), together[v].begin()));
      }
    }
  }
}

TEST_CASE("Edges of weight 0 are never drawn, also where all are taken") {
  const Rows rows({{1, 2, 3, 4}, {1, 2}});
  const std::vector<float> weights = {0, 1, 0, 2, 0, 0};
  const AliasTables alias(rows.csr(), weights);
  for (const bool replace : {false, true}) {
    const auto way = weighted_draw({rows.neighbors.data(), weights, &alias}, replace);
    for (const std::uint32_t fanout : {2u, 9u, kAllNeighbors}) {
      const auto drawn = draw(*way, rows.csr(), {0, 1}, fanout, 3);
      for (const std::uint32_t place : drawn[0]) CHECK((place == 1 || place == 3));
      CHECK(drawn[1].empty());
      if (!replace || fanout == kAllNeighbors) CHECK(drawn[0].size() == 2);
    }
  }
}

TEST_CASE("LABOR takes each set of neighbours equally often") {
  const Rows rows({{3, 9, 14, 200, 1000}});
  const auto way = labor_draw(rows.csr());
  constexpr std::uint64_t kTrials = 30000;
  Counts counts, probabilities;
  for (std::uint64_t t = 0; t < kTrials; ++t) {
    auto drawn = draw(*way, rows.csr(), {0}, 2, 0x9e3779b97f4a7c15 * (t + 1))[0];
    std::sort(drawn.begin(), drawn.end());
    ++counts[drawn];
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    for (std::uint32_t j = i + 1; j < 5; ++j) probabilities[{i, j}] = 0.1;
  }
  check_fit(counts, probabilities, kTrials);
}

TEST_CASE("LABOR takes each of many neighbours equally often") {
  std::vector<NodeId> row(200);
  for (NodeId i = 0; i < 200; ++i) row[i] = i * i + 7;
  const Rows rows({row});
  const auto way = labor_draw(rows.csr());
  constexpr std::uint64_t kTrials = 20000;
  std::vector<double> counts(200);
  for (std::uint64_t t = 0; t < kTrials; ++t) {
    const auto drawn = draw(*way, rows.csr(), {0}, 3, 0x9e3779b97f4a7c15 * (t + 1))[0];
    REQUIRE(drawn.size() == 3);
    for (const std::uint32_t place : drawn) ++counts[place];
  }
  constexpr double kExpected = kTrials * 3 / 200.0;
  double chi = 0;
  for (const double n : counts) chi += (n - kExpected) * (n - kExpected) / kExpected;
  CHECK(chi < 199 + 5 * std::sqrt(2 * 199.0));
}

TEST_CASE("With LABOR targets with the same neighbours draw the same ones") {
  std::vector<NodeId> row(700);
  std::iota(row.begin(), row.end(), NodeId{40});
  const Rows rows({row, row, {row.begin(), row.begin() + 3}, {}});
  const auto way = labor_draw(rows.csr());
  const auto drawn = draw(*way, rows.csr(), {0, 1, 2, 3}, 10, 77);
  CHECK(drawn[0] == drawn[1]);
  CHECK(std::set<std::uint32_t>(drawn[0].begin(), drawn[0].end()).size() == 10);
  CHECK(drawn[2] == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(drawn[3].empty());
  CHECK(draw(*way, rows.csr(), {0}, 10, 78)[0] != drawn[0]);
}

TEST_CASE("Draws with repetition take all neighbours where all are asked for") {
  const Rows rows({{4, 5, 6}, {}});
  const auto way = repeated_draw(rows.csr());
  CHECK(draw(*way, rows.csr(), {0, 1}, kAllNeighbors, 1)[0] == std::vector<std::uint32_t>{0, 1, 2});
  const auto drawn = draw(*way, rows.csr(), {0, 1}, 8, 1);
  CHECK(drawn[0].size() == 8);
  CHECK(drawn[1].empty());
}
