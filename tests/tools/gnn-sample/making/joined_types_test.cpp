#include "tools/gnn-sample/making/joined_types.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// Authors 0 to 2 and papers 0 and 1, which are nodes 3 and 4 of all.
struct Library {
  std::vector<EdgeId> written{0, 2, 4}, cited{0, 1, 3}, back{0, 1, 3, 4};
  std::vector<NodeId> writers{0, 1, 1, 2}, citing{1, 0, 1}, papers{0, 0, 1, 1};
  GraphContent content;

  Library() {
    content.heterogeneous = true;
    for (const auto& [type, size] : {std::pair{"author", 3}, std::pair{"paper", 2}}) {
      NodeSet& nodes = content.nodes.emplace_back();
      nodes.type = type;
      nodes.size = static_cast<std::uint64_t>(size);
    }
    add("author", "writes", "paper", {written, writers});
    add("paper", "cites", "paper", {cited, citing});
    add("paper", "by", "author", {back, papers});
  }
  void add(const char* source, const char* relation, const char* target, const CsrView& csr) {
    EdgeSet& edges = content.edges.emplace_back();
    edges.source_type = source;
    edges.relation = relation;
    edges.target_type = target;
    edges.csr = csr;
  }
};

}  // namespace

TEST_CASE("types are joined to one undirected graph, in which a pair has one edge") {
  const Library library;
  const JoinedTypes joined = join_types(library.content);
  CHECK(joined.first == std::vector<std::uint64_t>{0, 3, 5});
  CHECK(joined.types == std::vector<std::uint32_t>{0, 0, 0, 1, 1});
  // Papers cite one another and themselves; authors have edges in both directions.
  const std::vector<std::vector<NodeId>> rows = {{3}, {3, 4}, {4}, {0, 1, 4}, {1, 2, 3}};
  REQUIRE(joined.graph.num_nodes() == rows.size());
  for (NodeId v = 0; v < rows.size(); ++v) {
    const auto row = joined.graph.csr().row(v);
    CHECK(std::vector<NodeId>(row.begin(), row.end()) == rows[v]);
  }
}

TEST_CASE("cuts are counted by relation, balance by type") {
  const Library library;
  const JoinedTypes joined = join_types(library.content);
  const JoinedQuality quality =
      measure_types(library.content, joined, {0, 0, 1, 0, 1}, 2, {1, 0, 1, 0, 0});
  REQUIRE(quality.nodes.size() == 2);
  CHECK(quality.nodes[0].type == "author");
  CHECK(quality.nodes[0].nodes == std::vector<std::uint64_t>{2, 1});
  CHECK(quality.nodes[0].edges == std::vector<std::uint64_t>{3, 1});
  CHECK(quality.nodes[0].marked == std::vector<std::uint64_t>{1, 1});
  CHECK(quality.nodes[1].nodes == std::vector<std::uint64_t>{1, 1});
  CHECK(quality.nodes[1].edges == std::vector<std::uint64_t>{3, 3});
  CHECK(quality.nodes[1].marked == std::vector<std::uint64_t>{0, 0});
  REQUIRE(quality.edges.size() == 3);
  CHECK(quality.edges[0].type == "author:writes:paper");
  CHECK(quality.edges[0].cut == 0.25);
  CHECK(quality.edges[1].size == 3);
  CHECK(quality.edges[1].cut == doctest::Approx(2 / 3.0));
  CHECK(quality.edges[2].cut == 0.25);
  CHECK(quality.cut == doctest::Approx(4 / 11.0));
  // Edges into part 0: two to paper 0, one cites it, three to authors 0 and 1.
  CHECK(quality.edge_balance == doctest::Approx(6 * 2 / 11.0));
}
