#include "tools/gnn-sample/parts/inclusion.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "libcore/base/rng.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// In-edges of each node.
struct GivenGraph {
  std::vector<EdgeId> offsets = {0};
  std::vector<NodeId> neighbors;

  void add(const std::vector<NodeId>& row) {
    neighbors.insert(neighbors.end(), row.begin(), row.end());
    offsets.push_back(neighbors.size());
  }
  CsrView csr() const { return {offsets, neighbors}; }
};

void check_equal(const std::vector<float>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t v = 0; v < found.size(); ++v) CHECK(found[v] == doctest::Approx(expected[v]));
}

}  // namespace

TEST_CASE("inclusion probabilities are those of the formula, worked out by hand") {
  GivenGraph rows;
  for (const std::vector<NodeId>& row : {std::vector<NodeId>{1, 2}, {2}, {3}, {}}) rows.add(row);
  const std::vector<float> seeds = {0.5F, 0, 0, 0};
  // Hop 1 draws one of two for node 0: nodes 1 and 2 with 1/4 each. Hop 2 draws for all of them.
  check_equal(inclusion_probabilities(rows.csr(), seeds, {1, 1}, Semantics::mfg),
              {0.5, 1 - 0.75 * 0.75, 1 - 0.75 * 0.75 * 0.75, 0.25});
  // Hop 2 draws for nodes 1 and 2 alone.
  check_equal(inclusion_probabilities(rows.csr(), seeds, {1, 1}, Semantics::frontier),
              {0.5, 0.25, 1 - 0.75 * 0.75, 0.25});
  check_equal(inclusion_probabilities(rows.csr(), {1, 0, 0, 0}, {kAllNeighbors, kAllNeighbors},
                                      Semantics::mfg),
              {1, 1, 1, 1});
  check_equal(inclusion_probabilities(rows.csr(), seeds, {}, Semantics::mfg), {0.5, 0, 0, 0});
}

TEST_CASE("inclusion probabilities add up to about the nodes of sampled mini-batches") {
  constexpr std::size_t kNodes = 3000, kBatch = 20, kBatches = 400;
  GivenGraph rows;
  Rng rng(1);
  for (std::size_t v = 0; v < kNodes; ++v) {
    std::vector<NodeId> row(2 + rng.below(9));
    for (NodeId& u : row) u = static_cast<NodeId>(rng.below(kNodes) * rng.below(kNodes) / kNodes);
    std::sort(row.begin(), row.end());
    rows.add(row);
  }
  for (const Semantics semantics : {Semantics::mfg, Semantics::frontier}) {
    NeighborSamplerOptions options;
    options.fanouts = {4, 3};
    options.semantics = semantics;
    options.max_seeds = kBatch;
    NeighborSampler sampler(rows.csr(), options, uniform_draw(rows.csr()));
    std::vector<NodeId> order(kNodes);
    std::iota(order.begin(), order.end(), 0U);
    MiniBatch batch;
    double nodes = 0;
    for (std::size_t b = 0; b < kBatches; ++b) {
      for (std::size_t i = 0; i < kBatch; ++i) {
        std::swap(order[i], order[i + rng.below(kNodes - i)]);
      }
      batch.number = b;
      sampler.sample(std::span(order).first(kBatch), batch);
      nodes += batch.num_nodes();
    }
    const std::vector<float> p = inclusion_probabilities(
        rows.csr(), std::vector<float>(kNodes, float{kBatch} / kNodes), options.fanouts, semantics);
    // With mfg a node that draws in two hops counts as two.
    const double ratio = std::accumulate(p.begin(), p.end(), 0.0) / (nodes / kBatches);
    CHECK(ratio > 0.99);
    CHECK(ratio < (semantics == Semantics::mfg ? 1.15 : 1.03));
  }
}
