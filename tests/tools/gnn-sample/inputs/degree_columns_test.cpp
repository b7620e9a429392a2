#include "tools/gnn-sample/inputs/degree_columns.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/tools/gnn-sample/inputs/small_graph.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("degrees are their logarithm and their place between two steps") {
  const StoredDocument file(small_bare_graph());
  const StoredGraph graph = file.open();
  std::vector<float> values(4 * kDegreeColumns, -1);
  write_degrees(graph.csr(), {values.data(), 4, kDegreeColumns});
  const int in[] = {2, 1, 1, 3}, out[] = {2, 2, 3, 0};
  for (std::size_t v = 0; v < 4; ++v) {
    for (std::size_t half = 0; half < 2; ++half) {
      const float* const row = values.data() + v * kDegreeColumns + half * (1 + kDegreeSteps);
      const double l = std::log2(1.0 + (half == 0 ? in : out)[v]);
      CHECK(row[0] == doctest::Approx(l / 8));
      // 2 edges: log2(3) = 1.585 lies 0.415 from step 1.
      std::vector<double> want(kDegreeSteps);
      const auto low = static_cast<std::size_t>(l);
      want[low] = 1 - (l - static_cast<double>(low));
      want[low + 1] = l - static_cast<double>(low);
      for (std::size_t b = 0; b < kDegreeSteps; ++b) CHECK(row[1 + b] == doctest::Approx(want[b]));
    }
  }
}

TEST_CASE("degrees beyond the scale are its last step") {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors(100000, 1);
  offsets.push_back(neighbors.size());
  offsets.push_back(neighbors.size());
  const CsrView graph{offsets, neighbors};
  std::vector<float> values(2 * kDegreeColumns);
  write_degrees(graph, {values.data(), 2, kDegreeColumns});
  CHECK(values[0] == doctest::Approx(std::log2(100001.0) / 8));
  for (std::size_t b = 0; b < kDegreeSteps; ++b) CHECK(values[1 + b] == (b == 15 ? 1.0F : 0.0F));
}
