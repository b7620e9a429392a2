#include "tools/gnn-sample/typed/merged_edges.h"

#include <doctest/doctest.h>

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("edges of several relations are merged target by target") {
  // Targets 0, 1, 2: the first relation has 0 <- 4, 1 and 2 <- 1, the second 0 <- 0 and 1 <- 2, 0.
  const std::vector<std::uint32_t> offsets = {0, 2, 2, 3}, neighbors = {4, 1, 1};
  const std::vector<std::uint32_t> more_offsets = {0, 1, 3, 3}, more = {0, 2, 0};
  UsedEdges first, second, none;
  first.assign({3, 5, offsets.data(), neighbors.data()});
  second.assign({3, 3, more_offsets.data(), more.data()});
  const std::vector<std::uint32_t> no_offsets(4, 0);
  none.assign({3, 2, no_offsets.data(), nullptr});
  MergedEdges merged;
  const std::vector<const UsedEdges*> parts = {&first, &none, &second};
  merged.assign(3, parts);
  const Block& block = merged.block();
  CHECK(block.targets == 3);
  CHECK(block.sources == 4);  // 1 and 4 of the first, 0 and 2 of the second
  const auto row = [&](std::uint32_t t) {
    const std::span<const std::uint32_t> of_target = block.row(t);
    return std::vector<std::uint32_t>(of_target.begin(), of_target.end());
  };
  CHECK(row(0) == std::vector<std::uint32_t>{1, 0, 2});
  CHECK(row(1) == std::vector<std::uint32_t>{3, 2});
  CHECK(row(2) == std::vector<std::uint32_t>{0});
  merged.assign(2, {});
  CHECK(merged.block().num_edges() == 0);
  CHECK(merged.block().targets == 2);
}
