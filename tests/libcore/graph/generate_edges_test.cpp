#include "libcore/graph/generate_edges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"

using namespace frugal;

namespace {

const EdgeProgress kQuiet = [](std::uint64_t) {};

bool equal(const EdgeList& a, const EdgeList& b) {
  if (a.num_nodes != b.num_nodes || a.chunks.size() != b.chunks.size()) return false;
  for (std::size_t c = 0; c < a.chunks.size(); ++c) {
    if (a.chunks[c].sources != b.chunks[c].sources) return false;
    if (a.chunks[c].targets != b.chunks[c].targets) return false;
  }
  return true;
}

double inside_share(const EdgeList& edges, const PlantedClasses& nodes) {
  std::uint64_t inside = 0;
  for (const EdgeChunk& chunk : edges.chunks) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      inside += nodes.class_of(chunk.sources[i]) == nodes.class_of(chunk.targets[i]);
    }
  }
  return static_cast<double>(inside) / static_cast<double>(edges.num_edges());
}

}  // namespace

TEST_CASE("a permutation of ids meets each once and is undone by its inverse") {
  for (const std::uint64_t size : {1, 2, 3, 5, 64, 1000, 1025}) {
    const IdPermutation ids(size, 3);
    std::vector<bool> seen(size);
    for (std::uint64_t x = 0; x < size; ++x) {
      const std::uint64_t y = ids.forward(x);
      REQUIRE(y < size);
      CHECK(!seen[y]);
      seen[y] = true;
      CHECK(ids.backward(y) == x);
    }
  }
  const IdPermutation large(0xffffffff, 1);
  for (std::uint64_t x = 0; x < 1000; ++x) CHECK(large.backward(large.forward(x)) == x);
}

TEST_CASE("classes are runs of places of nearly equal length") {
  const PlantedClasses nodes(103, 7, true, 1);
  for (std::uint64_t c = 0; c < 7; ++c) {
    CHECK((nodes.size(c) == 14 || nodes.size(c) == 15));
    CHECK(nodes.class_at(nodes.begin(c)) == c);
    CHECK(nodes.class_at(nodes.begin(c + 1) - 1) == c);
    CHECK(nodes.class_of(nodes.id(nodes.begin(c))) == c);
  }
  CHECK(nodes.begin(7) == 103);
}

TEST_CASE("the matrix has the shares of its quadrants at every level") {
  // Places in order: the highest bits of source and target are the first level.
  const PlantedClasses nodes(1000, 1, false, 1);
  const RmatShares shares{0.5, 0.2, 0.2, 0.1};
  constexpr double kEdges = 100000;
  const EdgeList edges = rmat_edges({100000, shares, 0, 4}, nodes, kQuiet);
  CHECK(edges.num_edges() == 100000);
  std::map<int, double> first, second;
  for (const EdgeChunk& chunk : edges.chunks) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const NodeId s = chunk.sources[i], t = chunk.targets[i];
      REQUIRE(std::max(s, t) < 1000);
      ++first[(s >= 500) * 2 + (t >= 500)];
      if (s < 500 && t < 500) ++second[(s >= 250) * 2 + (t >= 250)];
    }
  }
  const double expected[] = {0.5, 0.2, 0.2, 0.1};
  for (int q = 0; q < 4; ++q) {
    CHECK(first[q] / kEdges == doctest::Approx(expected[q]).epsilon(0.03));
    CHECK(second[q] / first[0] == doctest::Approx(expected[q]).epsilon(0.03));
  }
}

TEST_CASE("the shares hold at the levels that further random numbers decide") {
  constexpr int kLevels = 18;
  const PlantedClasses nodes(1 << kLevels, 1, false, 1);
  const EdgeList edges = rmat_edges({100000, {0.5, 0.2, 0.2, 0.1}, 0, 4}, nodes, kQuiet);
  const double expected[] = {0.5, 0.2, 0.2, 0.1};
  for (int level = 0; level < kLevels; ++level) {
    double counts[4] = {};
    for (const EdgeChunk& chunk : edges.chunks) {
      for (std::size_t i = 0; i < chunk.size(); ++i) {
        ++counts[(chunk.sources[i] >> level & 1) * 2 + (chunk.targets[i] >> level & 1)];
      }
    }
    for (int q = 0; q < 4; ++q) {
      CHECK(std::abs(counts[q] / 100000 - expected[q]) < 5 * std::sqrt(0.25 / 100000));
    }
  }
}

TEST_CASE("homophily is the share of edges inside a class") {
  const PlantedClasses nodes(1003, 5, true, 2);
  for (const double homophily : {0.0, 0.35, 1.0}) {
    const EdgeList sbm = sbm_edges({20000, homophily, 0, 1}, nodes, kQuiet);
    CHECK(std::abs(inside_share(sbm, nodes) - homophily) < 0.015);
    const EdgeList skewed = sbm_edges({20000, homophily, 2.5, 1}, nodes, kQuiet);
    CHECK(std::abs(inside_share(skewed, nodes) - homophily) < 0.015);
    const EdgeList rmat = rmat_edges({20000, {}, homophily, 1}, nodes, kQuiet);
    CHECK(inside_share(rmat, nodes) > homophily - 0.015);
  }
}

TEST_CASE("an exponent makes few nodes of high degree") {
  const PlantedClasses nodes(1000, 1, false, 2);
  const auto highest = [&](double exponent) {
    std::vector<int> degrees(1000);
    const EdgeList edges = sbm_edges({10000, 0, exponent, 1}, nodes, kQuiet);
    for (const EdgeChunk& chunk : edges.chunks) {
      for (const NodeId s : chunk.sources) ++degrees[s];
    }
    return *std::max_element(degrees.begin(), degrees.end());
  };
  CHECK(highest(0) < 40);
  CHECK(highest(3) > 200);  // n^(-1/2) of the edges: 316
}

TEST_CASE("edges do not depend on threads, but on the seed") {
  const int before = num_threads();
  const PlantedClasses nodes(70000, 3, true, 2);
  set_num_threads(1);
  const EdgeList one = rmat_edges({5000, {}, 0.3, 1}, nodes, kQuiet);
  set_num_threads(3);
  CHECK(equal(one, rmat_edges({5000, {}, 0.3, 1}, nodes, kQuiet)));
  CHECK(!equal(one, rmat_edges({5000, {}, 0.3, 2}, nodes, kQuiet)));
  set_num_threads(before);
}

TEST_CASE("one node is graph enough") {
  const PlantedClasses nodes(1, 1, true, 2);
  for (const EdgeList& edges :
       {rmat_edges({10, {}, 0.5, 1}, nodes, kQuiet), sbm_edges({10, 0.5, 2.5, 1}, nodes, kQuiet)}) {
    CHECK(edges.chunks[0].sources == std::vector<NodeId>(10, 0));
    CHECK(edges.chunks[0].targets == std::vector<NodeId>(10, 0));
  }
}

TEST_CASE("options of generators that make no sense are refused") {
  const PlantedClasses nodes(10, 2, true, 2);
  CHECK_THROWS_WITH_AS(
      rmat_edges({10, {0.5, 0.5, 0.5, 0}, 0, 1}, nodes, kQuiet),
      "the shares of the quadrants are 0.5, 0.5, 0.5, 0, expected four that sum to 1", Error);
  CHECK_THROWS_WITH_AS(sbm_edges({10, 2, 0, 1}, nodes, kQuiet), "homophily is 2, expected 0 to 1",
                       Error);
  CHECK_THROWS_WITH_AS(sbm_edges({10, 0.5, 2, 1}, nodes, kQuiet),
                       "the exponent of the degrees is 2, expected more than 2, or 0", Error);
  CHECK_THROWS_WITH_AS(sbm_edges({10, 0.5, INFINITY, 1}, nodes, kQuiet),
                       "the exponent of the degrees is inf, expected more than 2, or 0", Error);
}
