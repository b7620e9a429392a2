#include "tools/gnn-sample/tasks/link_heuristics.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/tools/gnn-sample/inputs/typed_graph.h"
#include "tools/gnn-sample/tasks/common_neighbors.h"

using namespace frugal;
using namespace frugal::gnn;
using doctest::Approx;

namespace {

/// Papers in groups of six that cite one another, and paper 4; authors of papers.
TypedGraphFile papers() {
  TypedGraphFile file(false);
  file.add_nodes("author", 12);
  file.add_nodes("paper", 30);
  Pairs writes, cites;
  for (NodeId p = 0; p < 30; ++p) {
    writes.emplace_back(p % 12, p);
    if (p % 3 == 0) writes.emplace_back((p + 5) % 12, p);
    for (NodeId q = p / 6 * 6; q < p / 6 * 6 + 6; ++q) {
      if (p != q) cites.emplace_back(p, q);
    }
    if (p > 5) cites.emplace_back(p, 4);
  }
  file.add_edges("author", "writes", "paper", writes);
  file.add_edges("paper", "cites", "paper", cites);
  return file;
}

/// The sum of 1 / log(degree) over common neighbours, by comparing all pairs of neighbours.
float adamic_adar(const CsrView& graph, NodeId source, NodeId target) {
  float sum = 0;
  for (const NodeId v : graph.row(target)) {
    const auto row = graph.row(source);
    if (std::find(row.begin(), row.end(), v) == row.end()) continue;
    sum += 1 / std::log(static_cast<float>(std::max(2U, graph.degree(v))));
  }
  return sum;
}

double value_of(const TaskMetrics& metrics, const std::string& name) {
  for (const auto& value : metrics.values) {
    if (value.first == name) return value.second;
  }
  return -1;
}

}  // namespace

TEST_CASE("links are ranked by popularity and by common neighbours, which a model has to beat") {
  TypedGraphFile file = papers();
  const StoredGraph graph = file.open();
  for (const std::size_t edges : {0U, 1U}) {
    CAPTURE(edges);
    const LinkRelation relation(graph, edges);
    const CsrView csr = relation.csr();
    const std::vector<Link> links = {{4, 5}, {7, 9}, {9, 4}, {8, 7}, {2, 8}};
    const LinkRanking ranking(relation, links, Part::test, {20, 3, true});
    const double popularity =
        ranking.rank([&](NodeId, NodeId target) { return static_cast<float>(csr.degree(target)); })
            .mrr();
    const LinkHeuristics heuristics(relation);
    TaskMetrics result;
    result.values = {{"mrr", 0.999}};
    heuristics.add_to(result, Part::test, ranking);
    CHECK(result.beats_baseline);
    CHECK(value_of(result, "popularity_mrr") == Approx(popularity));
    double best = std::max(popularity, ranking.chance());
    if (relation.one_type()) {
      const double common =
          ranking.rank([&](NodeId s, NodeId t) { return adamic_adar(csr, s, t); }).mrr();
      CHECK(value_of(result, "adamic_adar_mrr") == Approx(common));
      CHECK(common > best);
      CHECK(result.baseline.find("common neighbours") != std::string::npos);
      best = common;
    } else {
      CHECK(value_of(result, "adamic_adar_mrr") == -1);
    }
    result.values = {{"mrr", best}};
    heuristics.add_to(result, Part::test, ranking);
    CHECK_FALSE(result.beats_baseline);
  }
}

TEST_CASE("common neighbours count once, without the ends themselves") {
  // Rows of 0 to 3: edges 0-1 twice, 0-2, 1-2, 2-3, and a self loop of 1.
  const std::vector<EdgeId> offsets = {0, 3, 7, 10, 11};
  const std::vector<NodeId> neighbors = {1, 1, 2, 0, 0, 1, 2, 0, 1, 3, 2};
  AdamicAdar score({offsets, neighbors});
  const float of_two = 1 / std::log(2.0F), of_three = 1 / std::log(3.0F);
  CHECK(score(0, 1) == Approx(of_three));
  CHECK(score(0, 2) == Approx(of_two));
  CHECK(score(1, 2) == Approx(of_two));
  CHECK(score(0, 3) == Approx(of_three));
  CHECK(score(3, 0) == Approx(of_three));
  CHECK(score(2, 3) == 0);
}
