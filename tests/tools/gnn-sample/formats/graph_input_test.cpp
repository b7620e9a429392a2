#include "tools/gnn-sample/formats/graph_input.h"

#include <doctest/doctest.h>

#include "libcore/arrays/npy.h"
#include "tests/tools/gnn-sample/data/input_samples.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

GraphReadOptions without_weights() {
  GraphReadOptions options;
  options.text.weight_column = "none";
  return options;
}

std::string npz_error(const Document& document) {
  const TextFile file("", ".npz");
  write_npz(file.path(), document);
  std::string error = error_of([&] { read_graph_input(file.path(), "auto", {}); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

GraphInput npz_graph(const Document& document) {
  const TextFile file("", ".npz");
  write_npz(file.path(), document);
  return read_graph_input(file.path(), "auto", {});
}

template <class T>
void add(Document& document, const char* name, Shape shape, std::vector<T> values) {
  document.tensors.push_back(Tensor::copy_of<T>(name, std::move(shape), values));
}

/// gnn-benchmark's: 0->1, 0->2, 2->1 with features in CSR.
Document benchmark_arrays() {
  Document d;
  add<float>(d, "adj_data", {3}, {1, 1, 1});
  add<std::int32_t>(d, "adj_indices", {3}, {1, 2, 1});
  add<std::int32_t>(d, "adj_indptr", {4}, {0, 2, 2, 3});
  add<std::int64_t>(d, "adj_shape", {2}, {3, 3});
  add<float>(d, "attr_data", {2}, {0.5F, 2});
  add<std::int32_t>(d, "attr_indices", {2}, {3, 0});
  add<std::int32_t>(d, "attr_indptr", {4}, {0, 1, 1, 2});
  add<std::int64_t>(d, "attr_shape", {2}, {3, 4});
  add<std::int64_t>(d, "labels", {3}, {1, 0, 2});
  return d;
}

}  // namespace

TEST_CASE("Matrix Market's coordinates are edges from row to column") {
  const GraphInput general =
      graph_of("%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 0.5\n3 1 2e0\n");
  CHECK(edges_of(general.edges) == std::vector<Edge>{{0, 1}, {2, 0}});
  CHECK(general.edges.chunks[0].weights == std::vector<float>{0.5F, 2});
  CHECK(!general.listed_once);
  CHECK(general.edges.num_nodes == 3);
  const GraphInput symmetric =
      graph_of("%%MatrixMarket MATRIX Coordinate Pattern Symmetric\n4 4 1\n2 1\n", {}, "mtx");
  CHECK(symmetric.listed_once);
  CHECK(symmetric.edges.num_nodes == 4);
  CHECK(graph_of("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 -3\n",
                 without_weights())
            .edges.num_edges() == 1);
}

TEST_CASE("Matrix Market's violations are named") {
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
  CHECK(graph_error("%%MatrixMarket matrix array real general\n2 2\n")
            .starts_with("65 FILE:1: found '%%MatrixMarket matrix array"));
  CHECK(graph_error(banner + "3 2 1\n1 1 1\n")
            .starts_with("65 FILE:2: found '3 2 1', expected rows, columns and entries"));
  CHECK(graph_error(banner).starts_with("65 FILE: ends before the line of sizes"));
  CHECK(graph_error(banner + "2 2 2\n1 1 1\n") ==
        "65 FILE: has 1 entries, expected 2 as its header says");
  CHECK(graph_error(banner + "2 2 1\n0 1 1\n") == "65 FILE:3: source 0, expected ids from 1 to 2");
  CHECK(graph_error(banner + "2 2 1\n1 3 1\n") == "65 FILE:3: target 3, expected ids from 1 to 2");
  CHECK(graph_error(banner + "2 2 1\n1 2\n") == "65 FILE:3: found 2 columns, expected at least 3");
  CHECK(graph_error("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 -3\n")
            .starts_with("2 FILE: is skew-symmetric"));
}

TEST_CASE("METIS lists the neighbours of each node") {
  const std::string text = "% a path\n3 2\n2\n1 3\n2\n";
  const GraphInput path = graph_of(text, {}, "auto", ".graph");
  CHECK(edges_of(path.edges) == std::vector<Edge>{{1, 0}, {0, 1}, {2, 1}, {1, 2}});
  CHECK(path.both_directions);
  const GraphInput weighted = graph_of("3 1 011 2\n7 7 2 5\n8 8 1 5\n\n", {}, "metis");
  CHECK(edges_of(weighted.edges) == std::vector<Edge>{{1, 0}, {0, 1}});
  CHECK(weighted.edges.chunks[0].weights == std::vector<float>{5, 5});
  CHECK(weighted.edges.num_nodes == 3);
  const auto error = [](std::string_view graph) { return graph_error(graph, {}, "metis"); };
  CHECK(error("3\n").starts_with("65 FILE:1: found '3', expected METIS's"));
  for (const char* header : {"1 0 10 18446744073709551615", "1 0 110 18446744073709551615",
                             "1 9223372036854775808", "4294967296 0", "1 0 2"}) {
    CHECK(error(std::string(header) + "\n\n") ==
          "65 FILE:1: found '" + std::string(header) +
              "', expected METIS's 'nodes edges [format [weights a node]]' with at most "
              "4294967295 nodes, 1099511627775 edges, 65536 weights and a format like 1, 10 or "
              "11");
  }
  CHECK(error("2 1\n2\n1\n\n").starts_with("65 FILE: has more lines of nodes than the 2"));
  CHECK(error("3 2\n2\n1\n\n").starts_with("65 FILE: has 3 lines of nodes with 2 neighbours"));
  CHECK(error("2 1\n3\n1\n") == "65 FILE:2: found '3', expected a node from 1 to 2");
  CHECK(error("3 1\n2\n3\n\n").starts_with("65 FILE: has edges in one direction only"));
  CHECK(error("2 1 1\n2\n1 5\n") ==
        "65 FILE:2: found 1 numbers, expected 0 of the node and 2 an edge");
}

TEST_CASE("archives of gnn-benchmark, scipy, PyG and OGB are graphs") {
  const GraphInput graph = npz_graph(benchmark_arrays());
  CHECK(edges_of(graph.edges) == std::vector<Edge>{{0, 1}, {0, 2}, {2, 1}});
  CHECK(graph.edges.chunks[0].weights.empty());
  const Tensor features = to_dense(graph.nodes.sparse, "features");
  CHECK(features.shape == Shape{3, 4});
  CHECK(features.as<float>()[3] == 0.5F);
  CHECK(features.as<float>()[8] == 2);
  CHECK(graph.nodes.labels.classes == std::vector<std::int32_t>{1, 0, 2});
  CHECK(graph.nodes.labels.num_classes == 3);

  Document pyg;
  add<std::int64_t>(pyg, "edge_index", {2, 3}, {0, 1, 1, 1, 0, 2});
  add<float>(pyg, "x", {4, 1}, {1, 2, 3, 4});
  add<std::int64_t>(pyg, "y", {4}, {0, 1, -1, 1});
  Tensor mask = Tensor::make("train_mask", Dtype::boolean, {4});
  for (std::size_t i = 0; i < 4; ++i) mask.as<bool>()[i] = i == 1;
  pyg.tensors.push_back(std::move(mask));
  add<std::int64_t>(pyg, "test_idx", {2}, {0, 3});
  const GraphInput torch = npz_graph(pyg);
  CHECK(edges_of(torch.edges) == std::vector<Edge>{{0, 1}, {1, 0}, {1, 2}});
  CHECK(torch.edges.num_nodes == 4);
  CHECK(torch.nodes.splits == std::vector<std::vector<std::uint8_t>>{{2, 0, 255, 2}});

  add<std::int64_t>(pyg, "valid_idx", {1}, {3});
  CHECK(npz_error(pyg) ==
        "65 FILE: test_idx: node 3 is in another part, too, expected one part a node");

  const TextFile npy("", ".npy");
  write_npy(npy.path(), Tensor::copy_of<std::uint32_t>(
                            "", {3, 2}, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  CHECK(edges_of(read_graph_input(npy.path(), "auto", {}).edges) ==
        std::vector<Edge>{{0, 1}, {2, 3}, {4, 5}});
}

TEST_CASE("archives say what their edges are: rows, columns or pairs") {
  Document csr = benchmark_arrays();
  add<std::uint8_t>(csr, "adj_format", {3}, {'c', 's', 'c'});
  CHECK(edges_of(npz_graph(csr).edges) == std::vector<Edge>{{1, 0}, {2, 0}, {1, 2}});
  csr.at("adj_format").as<std::uint8_t>()[2] = 'x';
  CHECK(npz_error(csr) == "65 FILE: adj_format: is 'csx', expected csr or csc");

  Document pairs;
  add<std::int64_t>(pairs, "row", {2}, {0, 2});
  add<std::int64_t>(pairs, "col", {2}, {1, 0});
  add<std::int64_t>(pairs, "shape", {2}, {4, 4});
  add<std::uint8_t>(pairs, "train_masks", {2, 4}, {1, 0, 0, 0, 0, 0, 0, 1});
  add<std::uint8_t>(pairs, "val_masks", {2, 4}, {0, 1, 0, 0, 0, 0, 1, 0});
  const GraphInput graph = npz_graph(pairs);
  CHECK(graph.edges.num_nodes == 4);
  CHECK(edges_of(graph.edges) == std::vector<Edge>{{0, 1}, {2, 0}});
  CHECK(graph.nodes.splits ==
        std::vector<std::vector<std::uint8_t>>{{0, 1, 255, 255}, {255, 255, 1, 0}});
  pairs.at("shape").as<std::int64_t>()[1] = 5;
  CHECK(npz_error(pairs) == "65 FILE: shape: expected a square matrix");
}

TEST_CASE("archives have weights of edges under the names of SciPy and PyG") {
  Document matrix;
  add<std::int64_t>(matrix, "row", {2}, {0, 2});
  add<std::int64_t>(matrix, "col", {2}, {1, 0});
  add<std::int64_t>(matrix, "shape", {2}, {3, 3});
  add<std::uint8_t>(matrix, "format", {3}, {'c', 'o', 'o'});
  add<double>(matrix, "data", {2}, {0.5, 3});
  CHECK(npz_graph(matrix).edges.chunks[0].weights == std::vector<float>{0.5F, 3});
  matrix.at("data").as<double>()[1] = -3;
  CHECK(npz_error(matrix).starts_with("65 FILE: data: edge 1 has weight -3"));
  Document pyg;
  add<std::int64_t>(pyg, "edge_index", {2, 2}, {0, 2, 1, 0});
  add<float>(pyg, "edge_weight", {2}, {0.25F, 1});
  CHECK(npz_graph(pyg).edges.chunks[0].weights == std::vector<float>{0.25F, 1});
  Document few;
  add<std::int64_t>(few, "edge_index", {2, 2}, {0, 2, 1, 0});
  add<float>(few, "edge_weight", {1}, {0.25F});
  CHECK(npz_error(few) == "65 FILE: edge_weight: has 1 weights for 2 edges");
  pyg.at("edge_weight").as<float>()[0] = 1;
  CHECK(npz_graph(pyg).edges.chunks[0].weights.empty());
}

TEST_CASE("columns, headers and names are of edges in text alone") {
  GraphReadOptions options;
  options.text.time_column = "3";
  const auto refused = [&](const char* text, const char* format) {
    return graph_error(text, options, format);
  };
  for (const char* format : {"mtx", "metis"}) {
    CHECK(refused("2 1\n2\n1\n", format) ==
          "2 a time of --columns is for edges in text, FILE is none: leave it out");
  }
  options.text.time_column = "";
  options.text.weight_column = "w";
  CHECK(refused("2 1\n2\n1\n", "metis") ==
        "2 a weight of --columns is for edges in text, FILE is none: leave it out, or say "
        "none:weight to ignore "
        "the weights");
}

TEST_CASE("a binary file is no list of edges, however few lines it has") {
  CHECK(graph_error(std::string_view("\0\1\2 binary\n", 11)) ==
        "65 FILE:1: has a byte 0, expected text");
}

TEST_CASE("archives that are no graphs are refused with the array and the place") {
  const auto changed = [](const char* name, auto values) {
    Document d = benchmark_arrays();
    Tensor& t = d.at(name);
    using T = typename decltype(values)::value_type;
    t = Tensor::copy_of<T>(name, {values.size()}, values);
    return npz_error(d);
  };
  CHECK(changed("adj_indices", std::vector<std::int32_t>{1, 3, 1}) ==
        "65 FILE: adj_indices: edge 1 has node 3, expected ids from 0 to 2");
  CHECK(changed("adj_indices", std::vector<std::int32_t>{1, -1, 1}) ==
        "65 FILE: adj_indices: edge 1 has node -1, expected ids from 0 to 2");
  CHECK(changed("adj_indptr", std::vector<std::int32_t>{0, 2, 1, 3})
            .starts_with("65 FILE: adj_indptr: expected offsets that ascend"));
  CHECK(changed("adj_shape", std::vector<std::int64_t>{3, 4})
            .starts_with("65 FILE: adjacency matrix is [3, 4], expected a square one"));
  CHECK(changed("adj_data", std::vector<float>{1, -1, 1})
            .starts_with("65 FILE: adj_data: edge 1 has weight -1"));
  CHECK(changed("attr_indices", std::vector<std::int32_t>{4, 0})
            .starts_with("65 FILE: attr_indices: index 4, expected 0 to 3"));
  for (const std::int64_t columns : {std::int64_t{1} << 34, std::int64_t{1} << 60}) {
    CHECK(changed("attr_shape", std::vector<std::int64_t>{3, columns}) ==
          "65 FILE: attr_indices: rows of " + std::to_string(columns) +
              " features, expected 1 to 16777216");
  }
  CHECK(changed("labels", std::vector<double>{-2, 1, 2})
            .starts_with("65 FILE: labels: label -2 of node 0, expected a class or -1"));
  Document other;
  add<float>(other, "weights", {1}, {1});
  CHECK(npz_error(other).starts_with("65 FILE: has arrays weights, expected adj_indptr"));
}

TEST_CASE("a folder of the Open Graph Benchmark is a graph with all that lies in it") {
  const Folder folder;
  folder.add("raw/edge.csv", "0,1\n2,0\n");
  folder.add("raw/num-node-list.csv", "4\n");
  folder.add("raw/node-feat.csv", "1,2\n3,4\n5,6\n7,8\n");
  folder.add("raw/node-label.csv", "0\nnan\n2\n1\n");
  folder.add("split/time/train.csv", "0\n3\n");
  folder.add("split/time/valid.csv", "1\n");
  folder.add("split/time/test.csv", "2\n");
  const GraphInput graph = read_graph_input(folder.path(), "auto", {});
  CHECK(edges_of(graph.edges) == std::vector<Edge>{{0, 1}, {2, 0}});
  CHECK(graph.edges.num_nodes == 4);
  CHECK(graph.nodes.features.shape == Shape{4, 2});
  CHECK(graph.nodes.labels.classes == std::vector<std::int32_t>{0, -1, 2, 1});
  CHECK(graph.nodes.splits == std::vector<std::vector<std::uint8_t>>{{0, 1, 2, 0}});
  GraphReadOptions options;
  options.split_name = "random";
  CHECK(error_of([&] { read_graph_input(folder.path(), "auto", options); }) ==
        "2 " + folder.path() +
            "/split: has time, expected --split-name to say which, found 'random'");
  folder.add("split/time/test.csv", "2\n3\n");
  CHECK(error_of([&] { read_graph_input(folder.path(), "auto", {}); }) ==
        "65 " + folder.path() +
            "/split/time/test.csv:2: node 3 is in another part, too, expected one part a node");
  folder.add("split/time/test.csv", "2\n4\n");
  CHECK(error_of([&] { read_graph_input(folder.path(), "auto", {}); }) ==
        "65 " + folder.path() + "/split/time/test.csv:2: found '4', expected a node from 0 to 3");
  folder.add("raw/num-node-list.csv", "2\n2\n");
  CHECK(error_of([&] {
          read_graph_input(folder.path(), "auto", {});
        }).starts_with("65 " + folder.path() + "/raw/num-node-list.csv: expected one line"));
  const Folder empty;
  CHECK(error_of([&] { read_graph_input(empty.path(), "auto", {}); }) ==
        "66 " + empty.path() + ": neither edge.csv.gz nor data.npz in this folder");
}

TEST_CASE("GraphML and node-link JSON give nodes, edges, weights and names") {
  const std::string graphml =
      "<?xml version='1.0'?><graphml xmlns='http://graphml.graphdrawing.org/xmlns'>"
      "<key id='d0' for='edge' attr.name='weight' attr.type='double'/>"
      "<graph edgedefault='directed'><node id='b'/><node id='a'/><node id='z'/>"
      "<edge source='b' target='a'><data key='d0'>2.5</data></edge>"
      "<edge source='a' target='z'><data key='d0'> 1 </data></edge></graph></graphml>";
  const std::string json =
      R"({"graph": {}, "directed": true, "nodes": [{"id": "b"}, {"id": "a"}, {"id": "z", "x": [1]}],)"
      R"( "links": [{"source": "b", "target": "a", "weight": 2.5},)"
      R"( {"weight": 1, "target": "z", "source": "a"}]})";
  GraphReadOptions options;
  options.text.weight_column = "weight";
  for (const std::string& text : {graphml, json}) {
    CAPTURE(text);
    const GraphInput input = graph_of(text, options);
    CHECK(edges_of(input.edges) == std::vector<Edge>{{0, 1}, {1, 2}});
    CHECK(input.edges.chunks[0].weights == std::vector<float>{2.5F, 1});
    CHECK(input.names.size() == 3);
    CHECK(input.names.name(2) == "z");
    CHECK(!input.listed_once);
  }
}

TEST_CASE("edges without a value in GraphML have the default of its key, others their own") {
  GraphReadOptions options;
  options.text.weight_column = "weight";
  const GraphInput input = graph_of(
      "<graphml><key id='d0' for='edge' attr.name='weight'><default> 1.5 </default></key>"
      "<key id='d1' for='node' attr.name='weight'><default>9</default></key>"
      "<graph edgedefault='directed'><node id='a'/><node id='b'/>"
      "<edge source='a' target='b'/>"
      "<edge source='b' target='a'><data key='d0'>2</data></edge></graph></graphml>",
      options);
  CHECK(input.edges.chunks[0].weights == std::vector<float>{1.5F, 2});
}

TEST_CASE("ids of JSON are numbers where they number the nodes, records are edges") {
  const GraphInput numbers = graph_of(
      R"({"nodes": [{"id": 1}, {"id": 0}, {"id": 2.0}], "edges": [{"source": 1, "target": 2}]})");
  CHECK(edges_of(numbers.edges) == std::vector<Edge>{{1, 2}});
  CHECK(numbers.names.size() == 0);
  CHECK(numbers.listed_once);
  const GraphInput lines = graph_of("{\"from\": 0, \"to\": 7}\n{\"to\": 0, \"from\": 7}\n");
  CHECK(edges_of(lines.edges) == std::vector<Edge>{{0, 7}, {7, 0}});
  CHECK(lines.edges.num_nodes == 8);
  CHECK(!lines.listed_once);
  CHECK(edges_of(graph_of(R"([{"source": 3, "target": 1}])").edges) == std::vector<Edge>{{3, 1}});
}

TEST_CASE("hostile and damaged GraphML and JSON are refused") {
  const auto graph = [](const std::string& inside) {
    return "<graphml><graph edgedefault='undirected'>" + inside + "</graph></graphml>";
  };
  std::string deep = "<graphml>";
  for (int i = 0; i < 100; ++i) deep += "<a>";
  CHECK(graph_error(deep) == "65 FILE:1: has elements in more than 64 others");
  CHECK(graph_error("<graphml><graph edgedefault='directed'>") == "65 FILE:1: no element found");
  CHECK(graph_error("<!DOCTYPE g><graphml/>", {}, "graphml") ==
        "65 FILE:1: has a document type, expected GraphML without <!DOCTYPE>");
  CHECK(graph_error(graph("<node id='" + std::string(3 << 20, 'x') + "'/>")) ==
        "65 FILE:1: a tag is longer than 1.0 MiB");
  CHECK(graph_error(graph("<node id='a'/><edge source='a' target='b'/>")) ==
        "65 FILE: an edge names the node 'b', which is not among the 1 node");
  CHECK(graph_error(graph("<node id='a'/><edge source='a' target='a' directed='true'/>"))
            .starts_with("65 FILE:1: an edge is directed, others are not"));
  CHECK(graph_error("{\"nodes\": " + std::string(100, '[')) ==
        "65 FILE: byte 74: has values in more than 64 others");
  CHECK(graph_error("[{\"source\": \"" + std::string(3 << 20, 'x') + "\"}]")
            .find("a value is longer than 1.0 MiB") != std::string::npos);
  CHECK(graph_error("{\"nodes\": [{\"id\": 1}, {\"id\": 1}]}").starts_with("65 FILE: node 2: '1'"));
  CHECK(graph_error("[{\"a\": 1}]").find("an edge has a, expected source and target") !=
        std::string::npos);
  CHECK(graph_error("{\"a\": }").find("is no JSON") != std::string::npos);
}
