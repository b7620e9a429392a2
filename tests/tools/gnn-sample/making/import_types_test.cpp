#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>

#include "tests/tools/gnn-sample/data/input_samples.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/making/import.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

using Strings = std::vector<std::string>;

constexpr char kWrites[] = "author,paper,w,t\n0,1,.5,10\n2,0,.25,20\n2,1,1,30\n";
constexpr char kCites[] = "from,to,w,t\n1,0,2,5\n1,1,3,6\n";

ImportOptions options_of(const Folder& folder) {
  ImportOptions o;
  o.typed_edges = {"author:writes:paper=" + folder.add("writes.csv", kWrites),
                   "paper:cites:paper=" + folder.add("cites.csv", kCites)};
  o.columns = "3:weight,4:time";
  o.edge_ids = true;
  o.output = folder.path() + "/graph.safetensors";
  return o;
}

StoredGraph import(ImportOptions o, ImportReport* report = nullptr) {
  take_columns(o);
  const ImportReport made = import_graph(o, [](const std::string&, std::uint64_t) {});
  if (report != nullptr) *report = made;
  return StoredGraph(o.output);
}

Strings edge_types(const StoredGraph& graph) {
  Strings names;
  for (const EdgeSet& edges : graph.content().edges) names.push_back(edge_type_name(edges));
  return names;
}

/// Source, target, weight, time and number in the input of each edge, sorted.
using FullEdge = std::tuple<NodeId, NodeId, float, double, EdgeId>;
std::vector<FullEdge> edges_of(const StoredGraph& graph, const std::string& type) {
  std::vector<FullEdge> all;
  for (const EdgeSet& edges : graph.content().edges) {
    if (edge_type_name(edges) != type) continue;
    for (std::size_t v = 0; v < edges.csr.num_nodes(); ++v) {
      for (EdgeId e = edges.csr.offsets[v]; e < edges.csr.offsets[v + 1]; ++e) {
        all.emplace_back(edges.csr.neighbors[e], static_cast<NodeId>(v), edges.weights[e],
                         edges.times.empty() ? 0 : edges.times[e], edges.edge_ids[e]);
      }
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::string import_error(const ImportOptions& o) {
  return error_of([&] { import(o); });
}

}  // namespace

TEST_CASE("undirected edges between two types become a relation of their own") {
  const Folder folder;
  ImportOptions o = options_of(folder);
  o.undirected = true;
  ImportReport report;
  const StoredGraph graph = import(o, &report);
  CHECK(edge_types(graph) ==
        Strings{"author:writes:paper", "paper:rev_writes:author", "paper:cites:paper"});
  CHECK(report.edge_types == edge_types(graph));
  CHECK(edges_of(graph, "author:writes:paper") ==
        std::vector<FullEdge>{{0, 1, .5F, 10, 0}, {2, 0, .25F, 20, 1}, {2, 1, 1, 30, 2}});
  CHECK(edges_of(graph, "paper:rev_writes:author") ==
        std::vector<FullEdge>{{0, 2, .25F, 20, 1}, {1, 0, .5F, 10, 0}, {1, 2, 1, 30, 2}});
  // Within one type the relation keeps its name; the self loop is there once.
  CHECK(edges_of(graph, "paper:cites:paper") ==
        std::vector<FullEdge>{{0, 1, 2, 5, 0}, {1, 0, 2, 5, 0}, {1, 1, 3, 6, 1}});
  CHECK(report.input_edges == 5);
  CHECK(report.edges == 9);
  CHECK_FALSE(report.directed);
  CHECK_FALSE(graph.directed());
}

TEST_CASE("every relation gets a reverse one, also within one type") {
  const Folder folder;
  ImportOptions o = options_of(folder);
  o.reverse_relations = true;
  const StoredGraph graph = import(o);
  CHECK(edge_types(graph) == Strings{"author:writes:paper", "paper:rev_writes:author",
                                     "paper:cites:paper", "paper:rev_cites:paper"});
  CHECK(edges_of(graph, "paper:cites:paper") ==
        std::vector<FullEdge>{{1, 0, 2, 5, 0}, {1, 1, 3, 6, 1}});
  CHECK(edges_of(graph, "paper:rev_cites:paper") ==
        std::vector<FullEdge>{{0, 1, 2, 5, 0}, {1, 1, 3, 6, 1}});
  CHECK(graph.directed());
}

TEST_CASE("self loops are added within one type") {
  const Folder folder;
  ImportOptions o = options_of(folder);
  folder.add("writes.csv", "0,1,.5\n2,0,.25\n2,1,1\n");
  folder.add("cites.csv", "1,0,2\n1,1,3\n");
  o.columns = "3:weight";
  o.self_loops = "add";
  o.reverse_relations = true;
  const StoredGraph graph = import(o);
  CHECK(edges_of(graph, "author:writes:paper").size() == 3);
  CHECK(edges_of(graph, "paper:rev_cites:paper") ==
        std::vector<FullEdge>{{0, 0, 1, 0, kAddedEdge}, {0, 1, 2, 0, 0}, {1, 1, 3, 0, 1}});
  o.typed_edges.pop_back();
  CHECK(import_error(o).starts_with("2 --self-loops add: no edges are between nodes of one type"));
}

TEST_CASE("a reverse relation whose name exists already is an error") {
  const Folder folder;
  ImportOptions o = options_of(folder);
  o.typed_edges.push_back("paper:rev_writes:author=" + folder.add("by.csv", "1,0\n"));
  o.undirected = true;
  CHECK(
      import_error(o).starts_with("2 --undirected adds edges paper:rev_writes:author, which "
                                  "--edges has already"));
}

TEST_CASE("a folder of OGB gets reverse relations") {
  const Folder folder;
  folder.add("raw/num-node-dict.csv", "a,b\n3,2\n");
  folder.add("raw/triplet-type-list.csv", "a,r,b\nb,s,b\n");
  folder.add("raw/relations/a___r___b/edge.csv", "2,1\n0,0\n");
  folder.add("raw/relations/b___s___b/edge.csv", "0,1\n");
  ImportOptions o;
  o.edges = folder.path();
  o.output = folder.path() + "/graph.safetensors";
  o.undirected = true;
  const StoredGraph graph = import(o);
  CHECK(edge_types(graph) == Strings{"a:r:b", "b:rev_r:a", "b:s:b"});
  const CsrView back = graph.content().edges[1].csr;
  CHECK(std::vector(back.offsets.begin(), back.offsets.end()) == std::vector<EdgeId>{0, 1, 1, 2});
  CHECK(std::vector(back.neighbors.begin(), back.neighbors.end()) == std::vector<NodeId>{0, 1});
  CHECK(graph.content().edges[2].csr.num_edges() == 2);
}

TEST_CASE("a list of names puts the nodes of a type in order") {
  const Folder folder;
  ImportOptions o;
  o.typed_edges = {"user:buys:item=" + folder.add("buys.csv", "user,item\n7,7\n8.0,x\n007,9\n")};
  o.ids = "any";
  o.typed_node_ids = {"item=" + folder.add("items.txt", "9\n7\nx\nspare\n"),
                      "user=" + folder.add("users.txt", "8\n7.0\n")};
  o.typed_features = {"item=" + folder.add("features.txt", "1 2\n3 4\n5 6\n7 8\n")};
  o.output = folder.path() + "/graph.safetensors";
  const StoredGraph graph = import(o);
  const NodeSet& users = graph.content().nodes_of("user");
  CHECK(std::vector(users.ids.begin(), users.ids.end()) == std::vector<std::uint64_t>{8, 7});
  CHECK(graph.content().nodes_of("item").size == 4);
  const CsrView csr = graph.content().edges[0].csr;
  CHECK(std::vector(csr.offsets.begin(), csr.offsets.end()) == std::vector<EdgeId>{0, 1, 2, 3, 3});
  CHECK(std::vector(csr.neighbors.begin(), csr.neighbors.end()) == std::vector<NodeId>{1, 1, 0});
  folder.add("items.txt", "7\nx\nspare\nmore\n");
  CHECK(import_error(o) ==
        "65 " + folder.path() + "/buys.csv:4: node '9' is not in " + folder.path() + "/items.txt");
  folder.add("users.txt", "8\n7.0\n007\n");
  CHECK(import_error(o).starts_with("65 " + folder.path() + "/users.txt: line 3: '007' stands"));
}
