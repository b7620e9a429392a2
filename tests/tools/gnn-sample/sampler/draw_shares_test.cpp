#include "tools/gnn-sample/sampler/draw_shares.h"

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include "tools/gnn-sample/sampler/alias_tables.h"
#include "tools/gnn-sample/sampler/neighbor_draw.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// Node 0 has edges from 0 to 5 with these weights, the others have none.
const std::vector<EdgeId> kRowOffsets = {0, 6, 6, 6, 6, 6, 6};
const std::vector<NodeId> kRowNeighbors = {0, 1, 2, 3, 4, 5};
const std::vector<float> kRowWeights = {2, 0, 1, 5, 1, 3};
const CsrView kOneRow{kRowOffsets, kRowNeighbors};

/// How often each edge is drawn for node 0, on average of many draws.
std::vector<float> drawn_counts(std::uint32_t fanout, bool repeats) {
  constexpr std::uint64_t kDraws = 20000;
  const AliasTables alias(kOneRow, kRowWeights);
  const auto way = weighted_draw({kRowNeighbors.data(), kRowWeights, &alias}, repeats);
  const NodeId node = 0;
  const EdgeId begin = 0;
  const std::uint32_t size = 6;
  std::vector<float> counts(size);
  for (std::uint64_t key = 0; key < kDraws; ++key) {
    DrawTargets targets;
    targets.nodes = {&node, 1};
    targets.begin = &begin;
    targets.size = &size;
    targets.key = key;
    targets.fanout = fanout;
    targets.sources = kRowNeighbors.data();
    std::uint32_t taken = 0;
    std::vector<EdgeId> picks(64);
    way->draw(targets, &taken, picks.data());
    for (std::uint32_t i = 0; i < taken; ++i) ++counts[picks[i]];
  }
  for (float& count : counts) count /= kDraws;
  return counts;
}

}  // namespace

TEST_CASE("Shares of edges are those of draws by weight") {
  struct Case {
    std::uint32_t fanout;
    bool repeats;
    double tolerance;
  };
  // Without replacement the probabilities are estimates.
  for (const Case& c : {Case{1, false, 0.05}, Case{2, false, 0.1}, Case{3, false, 0.1},
                        Case{4, false, 0.1}, Case{5, false, 1e-6}, Case{7, false, 1e-6},
                        Case{kAllNeighbors, false, 1e-6}, Case{2, true, 0.05}}) {
    CAPTURE(c.fanout);
    CAPTURE(c.repeats);
    const auto shares = draw_shares(kOneRow, kRowWeights, {c.fanout, c.repeats});
    const auto sums = draw_shares(kOneRow, kRowWeights, {c.fanout, c.repeats, false, true});
    const auto drawn = drawn_counts(c.fanout, c.repeats);
    const float all = std::accumulate(drawn.begin(), drawn.end(), 0.0F);
    REQUIRE(shares.size() == drawn.size());
    for (std::size_t e = 0; e < drawn.size(); ++e) {
      CAPTURE(e);
      CHECK(shares[e] == doctest::Approx(drawn[e] * 5 / all).epsilon(c.tolerance));
      CHECK(sums[e] == doctest::Approx(drawn[e]).epsilon(c.tolerance));
    }
    CHECK(shares[1] == 0);
  }
}

TEST_CASE("Edges to itself compete for draws, and do not count where layers skip them") {
  const auto shares = draw_shares(kOneRow, kRowWeights, {1, false, true});
  CHECK(shares[2] == doctest::Approx(0.5));
  CHECK(shares[3] == doctest::Approx(2.5));
}

TEST_CASE("A node whose weights are all 0 has shares of 0, and wide ranges of weights converge") {
  const std::vector<float> none(6, 0.0F);
  CHECK(draw_shares(kOneRow, none, {2}) == none);
  const std::vector<float> wide = {1e20F, 1e-20F, 1e-20F, 0, 0, 0};
  const auto shares = draw_shares(kOneRow, wide, {2});
  CHECK(shares[0] == doctest::Approx(1.5));
  CHECK(shares[1] == doctest::Approx(0.75));
}

TEST_CASE("Fanouts of relations are written and read") {
  const std::vector<Fanouts> fanouts = {{15, kAllNeighbors}, {3, 2}};
  CHECK(fanouts_of_relations_text(fanouts) == "15,-1 3,2");
  CHECK(parse_fanouts_of_relations("15,-1 3,2") == fanouts);
  for (const char* bad : {"", "0", "5,", "5  3", "-2", "x", "4294967295"}) {
    CHECK(!parse_fanouts_of_relations(bad));
  }
}
