#include "tools/gnn-sample/inputs/projection.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/threading/parallel.h"
#include "tests/tools/gnn-sample/inputs/small_graph.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kProjectedColumns = 70;  // more than a random number has bits

std::vector<float> projection_of(const StoredGraph& graph, std::uint64_t seed) {
  std::vector<float> values(graph.num_nodes() * kProjectedColumns);
  write_projection(graph.csr(), graph.content().node_set(), seed,
                   {values.data(), graph.num_nodes(), kProjectedColumns});
  return values;
}

using ProjectedRows = std::vector<std::vector<double>>;

/// The definition, in double, from the signs of nodes with these keys.
ProjectedRows by_definition(const StoredGraph& graph, const std::vector<std::uint64_t>& keys,
                            std::uint64_t seed) {
  const std::size_t n = keys.size();
  ProjectedRows rows(n, std::vector<double>(kProjectedColumns)), all = rows;
  std::vector<double> roots;
  for (std::size_t v = 0; v < n; ++v) {
    double others = 0;
    for (const NodeId u : graph.csr().row(static_cast<NodeId>(v))) others += u == v ? 0 : 1;
    roots.push_back(1 / std::sqrt(others + 1));
    for (std::size_t c = 0; c < kProjectedColumns; ++c) {
      rows[v][c] = (Rng(seed, keys[v]).at(c / 64) >> (c % 64)) % 2 == 1 ? 1 : -1;
    }
  }
  for (int hop = 0; hop < 20; ++hop) {
    ProjectedRows next(n, std::vector<double>(kProjectedColumns));
    for (std::size_t v = 0; v < n; ++v) {
      double squares = 0;
      for (std::size_t c = 0; c < kProjectedColumns; ++c) {
        next[v][c] = roots[v] * roots[v] * rows[v][c];
        for (const NodeId u : graph.csr().row(static_cast<NodeId>(v))) {
          if (u != v) next[v][c] += roots[v] * roots[u] * rows[u][c];
        }
        squares += next[v][c] * next[v][c];
      }
      for (std::size_t c = 0; c < kProjectedColumns; ++c) {
        all[v][c] += next[v][c] / std::sqrt(squares / kProjectedColumns * 20);
      }
    }
    rows = next;
  }
  return all;
}

}  // namespace

TEST_CASE("a projection has the rows of its definition, for any number of threads") {
  const StoredDocument file(small_bare_graph());
  const StoredGraph graph = file.open();
  const ProjectedRows want = by_definition(graph, {mix64(0), mix64(1), mix64(2), mix64(3)}, 5);
  std::vector<float> first;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    const std::vector<float> got = projection_of(graph, 5);
    if (first.empty()) first = got;
    CHECK(got == first);
    for (std::size_t i = 0; i < got.size(); ++i) {
      CHECK(got[i] == doctest::Approx(want[i / kProjectedColumns][i % kProjectedColumns])
                          .epsilon(1e-3)
                          .scale(1));
    }
  }
  CHECK(projection_of(graph, 6) != first);
}

TEST_CASE("nodes keep their projection where the order of nodes is another") {
  Document plain = small_bare_graph(), named = small_bare_graph(), turned;
  add_names(named, {"a", "b", "c", "d"});
  // The edges again, with the nodes in the order d, c, b, a.
  turned.metadata = plain.metadata;
  turned.tensors.push_back(
      Tensor::copy_of<std::uint64_t>("offsets", {5}, std::vector<std::uint64_t>{0, 3, 4, 5, 7}));
  turned.tensors.push_back(Tensor::copy_of<std::uint32_t>(
      "neighbors", {7}, std::vector<std::uint32_t>{1, 2, 3, 1, 3, 1, 2}));
  add_names(turned, {"d", "c", "b", "a"});
  const StoredDocument first(named), second(turned);
  const std::vector<float> a = projection_of(first.open(), 5), b = projection_of(second.open(), 5);
  for (std::size_t v = 0; v < 4; ++v) {
    for (std::size_t c = 0; c < kProjectedColumns; ++c) {
      CHECK(a[v * kProjectedColumns + c] ==
            doctest::Approx(b[(3 - v) * kProjectedColumns + c]).epsilon(1e-3).scale(1));
    }
  }
}
