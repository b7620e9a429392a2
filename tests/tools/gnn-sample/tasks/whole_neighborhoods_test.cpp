#include "tools/gnn-sample/tasks/whole_neighborhoods.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// 0 <- 5, 6 <- 1; 1 <- 3, twice; 3 <- 4; 2 <- 0. Nodes 4 to 6, but 6, have no in-edges.
const std::vector<EdgeId> kStarts = {0, 2, 4, 5, 6, 6, 6, 7};
const std::vector<NodeId> kSourcesOfEdges = {5, 6, 3, 3, 0, 4, 1};
const CsrView kSmallGraph{kStarts, kSourcesOfEdges};

std::vector<NodeId> sources_of(const WholeNeighborhoods& all, const Block& block, std::uint32_t t) {
  std::vector<NodeId> sources;
  for (const std::uint32_t s : block.row(t)) {
    CHECK(s < block.sources);
    sources.push_back(all.nodes()[s]);
  }
  return sources;
}

}  // namespace

TEST_CASE("each layer computes what the layers above read, and nothing else") {
  const std::vector<NodeId> requested = {6, 0, 6};
  const WholeNeighborhoods all(kSmallGraph, {}, requested, 3);
  CHECK(std::vector(all.rows().begin(), all.rows().end()) == std::vector<std::uint32_t>{0, 1, 0});
  CHECK(std::vector(all.nodes().begin(), all.nodes().end()) ==
        std::vector<NodeId>{6, 0, 1, 5, 3, 4});
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> sizes = {{5, 6}, {4, 5}, {2, 4}};
  REQUIRE(all.blocks().size() == 3);
  for (std::size_t l = 0; l < 3; ++l) {
    const Block& block = all.blocks()[l];
    CHECK(std::pair(block.targets, block.sources) == sizes[l]);
    for (std::uint32_t t = 0; t < block.targets; ++t) {
      const auto row = kSmallGraph.row(all.nodes()[t]);
      CHECK(sources_of(all, block, t) == std::vector<NodeId>(row.begin(), row.end()));
    }
  }
  CHECK(all.is_for(requested));
  CHECK_FALSE(all.is_for(std::vector<NodeId>{6, 0}));
}

TEST_CASE("nodes without neighbours need no others") {
  const std::vector<NodeId> requested = {5, 4};
  const WholeNeighborhoods all(kSmallGraph, {}, requested, 2);
  CHECK(all.nodes().size() == 2);
  CHECK(all.blocks().front().num_edges() == 0);
}
