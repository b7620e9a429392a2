#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "tools/tgn-train/evaluation/negative_sampler.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

std::vector<NodeId> range(NodeId begin, NodeId end) {
  std::vector<NodeId> nodes(end - begin);
  std::iota(nodes.begin(), nodes.end(), begin);
  return nodes;
}

}  // namespace

TEST_CASE("Drawn nodes are distinct, of the pool and not excluded, in small and large pools") {
  const std::vector<NodeId> without = {3, 4, 90}, nor = {5, 17};
  for (const NodeId size : {12U, 40U, 1000U}) {
    const std::vector<NodeId> pool = range(2, size);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      Rng rng(seed);
      std::vector<NodeId> nodes = {7};
      CHECK(DistinctDraw(pool, without, nor).draw(6, rng, nodes) == 6);
      REQUIRE(nodes.size() == 7);
      CHECK(nodes[0] == 7);
      const std::set<NodeId> distinct(nodes.begin() + 1, nodes.end());
      CHECK(distinct.size() == 6);
      for (const NodeId node : distinct) {
        CHECK(std::binary_search(pool.begin(), pool.end(), node));
        CHECK(std::count(without.begin(), without.end(), node) == 0);
        CHECK(std::count(nor.begin(), nor.end(), node) == 0);
      }
    }
  }
}

TEST_CASE("Every node that may be drawn is as likely, by rejection and from a list") {
  for (const NodeId size : {10U, 40U}) {
    const std::vector<NodeId> pool = range(0, size), without = {1, 6};
    std::map<NodeId, double> counts;
    constexpr int kTrials = 20000, kDrawn = 3;
    for (int trial = 0; trial < kTrials; ++trial) {
      Rng rng(static_cast<std::uint64_t>(trial));
      std::vector<NodeId> nodes;
      DistinctDraw(pool, without).draw(kDrawn, rng, nodes);
      for (const NodeId node : nodes) ++counts[node];
    }
    CHECK(counts.size() == size - 2);
    const double expected = 1.0 * kTrials * kDrawn / (size - 2);
    for (const auto& [node, count] : counts) {
      CHECK(count == doctest::Approx(expected).epsilon(6 / std::sqrt(expected)));
    }
  }
}

TEST_CASE("Of more than there are, each is drawn once") {
  const std::vector<NodeId> pool = {4, 8, 9}, without = {8};
  Rng rng(1);
  std::vector<NodeId> nodes;
  CHECK(DistinctDraw(pool, without).draw(50, rng, nodes) == 2);
  CHECK(std::set<NodeId>(nodes.begin(), nodes.end()) == std::set<NodeId>{4, 9});
  CHECK(DistinctDraw(pool, pool).draw(5, rng, nodes) == 0);
  CHECK(nodes.size() == 2);
  CHECK(DistinctDraw(pool, without).all() == std::vector<NodeId>{4, 9});
}
