#include "tools/gnn-sample/tasks/link_relation.h"

#include <doctest/doctest.h>

#include "libcore/base/log.h"
#include "tests/tools/gnn-sample/inputs/typed_graph.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

const Pairs kWriting = {{0, 0}, {1, 0}, {1, 1}, {2, 3}};
const Pairs kCiting = {{0, 1}, {1, 2}, {2, 0}, {3, 0}};

TypedGraphFile authors_and_papers(bool directed) {
  TypedGraphFile file(directed);
  file.add_nodes("author", 3);
  file.add_nodes("paper", 4);
  file.add_edges("author", "writes", "paper", kWriting);
  return file;
}

bool follows_all(const std::string&) { return true; }

std::string without_path(std::string text, const std::string& path) {
  const std::size_t at = text.find(path);
  return at == std::string::npos ? text : text.replace(at, path.size(), "GRAPH");
}

}  // namespace

TEST_CASE("the relation to predict is named, or the only one but for reverse edges") {
  TypedGraphFile file = authors_and_papers(false);
  file.add_edges("paper", "rev_writes", "author", turned(kWriting));
  const StoredGraph graph = file.open();
  CHECK(find_relation(graph, "") == 0);
  CHECK(find_relation(graph, "paper:rev_writes:author") == 1);
  const std::string error = error_of([&] { find_relation(graph, "author:reads:paper"); });
  CHECK(without_path(error, graph.path()) ==
        "2 --relation 'author:reads:paper' is no relation of GRAPH, expected one of "
        "author:writes:paper, paper:rev_writes:author");
  file.add_edges("paper", "cites", "paper", kCiting);
  const StoredGraph several = file.open();
  CHECK(without_path(error_of([&] { find_relation(several, ""); }), several.path())
            .starts_with("2 GRAPH has several relations, expected --relation with one of author"));
}

TEST_CASE("reverse relations are found by name, and by their edges") {
  TypedGraphFile file = authors_and_papers(true);
  Pairs most = turned(kWriting);
  most.pop_back();
  file.add_edges("paper", "rev_writes", "author", most);
  file.add_edges("paper", "written_by", "author", turned(kWriting));
  file.add_edges("paper", "read_by", "author", {{0, 2}, {2, 0}, {3, 1}, {1, 2}});
  file.add_edges("paper", "cites", "paper", kCiting);
  file.add_edges("paper", "cited_by", "paper", turned(kCiting));
  const StoredGraph graph = file.open();
  CHECK(reverse_relations(LinkRelation(graph, 0), follows_all) == std::vector<std::size_t>{1, 2});
  CHECK(reverse_relations(LinkRelation(graph, 1), follows_all) == std::vector<std::size_t>{0});
  CHECK(reverse_relations(LinkRelation(graph, 4), follows_all) == std::vector<std::size_t>{5});
}

TEST_CASE("links have no direction only within a type whose edges are there in both") {
  TypedGraphFile file = authors_and_papers(false);
  Pairs both = kCiting;
  for (const auto& pair : turned(kCiting)) both.push_back(pair);
  file.add_edges("paper", "cites", "paper", both);
  file.add_edges("paper", "extends", "paper", kCiting);
  const StoredGraph graph = file.open();
  const LinkRelation writes(graph, 0), cites(graph, 1), extends(graph, 2);
  CHECK(!writes.either_way());
  CHECK(writes.key(1, 2) != writes.key(2, 1));
  CHECK(writes.targets().size == 4);
  CHECK(cites.either_way());
  CHECK(cites.key(1, 2) == cites.key(2, 1));
  CHECK(!extends.either_way());
  CHECK(extends.one_type());
}

TEST_CASE("edges are found by their ends, whatever the order of a row") {
  // Rows of edges with times ascend by time, not by source.
  const std::vector<EdgeId> offsets = {0, 3, 3, 5};
  const std::vector<NodeId> sources = {2, 0, 2, 1, 0};
  const std::vector<double> times = {1, 2, 3, 1, 5};
  EdgeSet edges;
  edges.csr = {offsets, sources};
  edges.times = times;
  const EdgeLookup lookup(edges);
  for (NodeId source = 0; source < 3; ++source) {
    CHECK(lookup.has(source, 0) == (source != 1));
    CHECK(!lookup.has(source, 1));
    CHECK(lookup.has(source, 2) == (source != 2));
  }
}
