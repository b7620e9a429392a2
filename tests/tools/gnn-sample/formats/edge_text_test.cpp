#include "tools/gnn-sample/formats/edge_text.h"

#include <doctest/doctest.h>

#include "libcore/threading/parallel.h"
#include "tests/tools/gnn-sample/data/input_samples.h"

using namespace frugal;
using namespace frugal::gnn;

TEST_CASE("edges are read between commas, tabs, blanks and semicolons") {
  const std::vector<Edge> expected{{0, 3}, {12, 1}};
  for (const char* text :
       {"0,3\n12,1\n", "0\t3\n12\t1\n", "0 3\n12 1", "0;3\n12;1\n", "0,3\r\n12,1\r\n",
        "# a comment\n\n0 3\n% another\n  12   1  \n", "src,dst\n0,3\n12,1\n", "0 , 3\n12 , 1\n",
        "\xef\xbb\xbfsource\ttarget\n0\t3\n12\t1\n", "0,3,x,y\n12,1,z,\n", "0|3\n12|1\n",
        "0.0,3\n+12,01\n", "\"0\",\"3\"\n12,1\n"}) {
    CAPTURE(text);
    const GraphInput input = graph_of(text);
    CHECK(edges_of(input.edges) == expected);
    CHECK(input.edges.num_nodes == 13);
  }
}

TEST_CASE("comments may be longer than what is read at a time") {
  std::string comments;
  while (comments.size() < (std::size_t{3} << 20)) comments += "# " + std::string(1000, 'c') + "\n";
  const std::string lines = std::to_string(1 + count_lines(comments));
  CHECK(edges_of(graph_of(comments + "src,dst\n0,3\n12,1").edges) ==
        std::vector<Edge>{{0, 3}, {12, 1}});
  CHECK(graph_of(comments + "20 1\n0 3\n").edges.num_nodes == 20);
  CHECK(graph_error(comments + "0 x\n").starts_with("65 FILE:" + lines + ": found 'x'"));
  CHECK(graph_of(comments + "2 1\n2\n1\n", {}, "metis").edges.num_edges() == 2);
  const std::string banner = "%%MatrixMarket matrix coordinate pattern general\n";
  CHECK(graph_of(banner + comments + "3 3 1\n1 2\n").edges.num_edges() == 1);
}

TEST_CASE("columns are picked by name or number") {
  GraphReadOptions options;
  options.text.source_column = "to";
  options.text.target_column = "1";
  options.text.weight_column = "w";
  options.text.time_column = "when";
  const GraphInput input = graph_of("from,to,when,w\n1,2,10.5,0.25\n0,4,-3,7\n", options);
  CHECK(edges_of(input.edges) == std::vector<Edge>{{2, 1}, {4, 0}});
  REQUIRE(input.edges.chunks.size() == 1);
  CHECK(input.edges.chunks[0].weights == std::vector<float>{0.25F, 7});
  CHECK(input.edges.chunks[0].times == std::vector<double>{10.5, -3});
  options.text.weight_column = "weight";
  CHECK(graph_error("from,to,when,w\n1,2,3,4\n", options) ==
        "2 FILE:1: no column 'weight', expected from, to, when, w or a number from 1 to 4");
}

TEST_CASE("a header is told by what it is, and its names say which column is which end") {
  const std::vector<Edge> expected{{0, 3}, {12, 1}};
  for (const char* text :
       {"txId1,txId2\n0,3\n12,1\n", "target,source\n3,0\n1,12\n", "to_user,from_user\n3,0\n1,12\n",
        "edge_id,source,target\n7,0,3\n8,12,1\n", ",source,target\n0,0,3\n1,12,1\n",
        "id,node_a,node_b,weight\n5,0,3,1\n6,12,1,2\n", "user id\titem id\n0\t3\n12\t1\n",
        "cited,citing\n3,0\n1,12\n", "# target source\n3 0\n1 12\n"}) {
    CAPTURE(text);
    CHECK(edges_of(graph_of(text).edges) == expected);
  }
  GraphReadOptions typed;
  typed.text.source_type = "item";
  typed.text.target_type = "user";
  for (const char* text : {"item,user\n0,3\n12,1\n", "userId,itemId\n3,0\n1,12\n",
                           "customer,product\n0,3\n12,1\n", "target,source\n3,0\n1,12\n"}) {
    CHECK(edges_of(graph_of(text, typed).edges) == expected);
  }
  GraphReadOptions options;
  options.text.source_column = "target";
  CHECK(edges_of(graph_of("source,target\n3,0\n1,12\n", options).edges) == expected);
  options.text.source_column = "1";
  CHECK(edges_of(graph_of("target,source\n0,3\n12,1\n", options).edges) == expected);
}

TEST_CASE("all lines have as many columns") {
  const std::string hint = "; lists of neighbours are no edges: write an edge a line";
  for (const char* text : {"0 1\n1 2 3\n", "0 1 5\n1 2\n", "0 1 2 3\n1\n", "0,1\n1,2,\n"}) {
    CAPTURE(text);
    CHECK(graph_error(text).ends_with(" as in line 1" + hint));
  }
  CHECK(edges_of(graph_of("0 1 {'weight': 4}\n1 2 {}\n").edges).size() == 2);
  CHECK(graph_of("3 2\n0 1 0.5\n1 2 0.5\n").edges.num_edges() == 2);
  CHECK(graph_error("3 9\n0 1 0.5\n1 2 0.5\n").starts_with("65 FILE:1: says 3 nodes and 9 edges"));
}

TEST_CASE("times may be dates, weights have a decimal comma between semicolons") {
  GraphReadOptions options;
  options.text.time_column = "when";
  options.text.weight_column = "w";
  const EdgeList list =
      graph_of("s;t;when;w\n0;1;1970-01-02;0,5\n1;2;1970-01-01T00:00:01Z;2\n", options).edges;
  CHECK(list.chunks[0].times == std::vector<double>{86400, 1});
  CHECK(list.chunks[0].weights == std::vector<float>{0.5F, 2});
  CHECK(graph_error("s,t,when,w\n0,1,1970-01-02,1\n1,2,7,1\n", options) ==
        "65 FILE:3: found '7' as time, expected a date as in the first line");
}

TEST_CASE("an empty field between tabs is a field") {
  GraphReadOptions options;
  options.text.weight_column = "3";
  CHECK(graph_error("0\t1\t\t0.5\n1\t2\t7\t\n", options) ==
        "65 FILE:1: found '' as weight, expected a finite number");
  CHECK(edges_of(graph_of("from\tto\tnote\tx\n1\t2\t\t5\n2\t3\tx\t6\n").edges) ==
        std::vector<Edge>{{1, 2}, {2, 3}});
  std::string late;
  for (int i = 0; i < 1500; ++i) late += i == 1200 ? "1\t2\t\n" : "1\t2\t0.5\n";
  CHECK(
      graph_error(late, options) ==
      "65 FILE:1201: found 2 columns, expected 3 as in line 1; tabs separate like blanks here, so "
      "that an empty field is none: sed 's/\\t/,/g' FILE > OUT keeps it");
}

TEST_CASE("an adjacency matrix is no list of edges") {
  for (const char* text : {"0 1 0\n1 0 1\n0 1 0\n", ",A,B,C\nA,0,1,0\nB,1,0,1\nC,0,1,0\n",
                           "a,b,c\n0,1,0\n1,0,1\n0,1,0\n"}) {
    CAPTURE(text);
    CHECK(
        graph_error(text).starts_with("65 FILE: is an adjacency matrix, expected an edge a line"));
  }
  CHECK(graph_of("0 1 1\n1 1 1\n0 0 1\n").edges.num_edges() == 3);
  CHECK(graph_of("0 1 2\n1 0 2\n2 1 0\n").edges.num_edges() == 3);
  GraphReadOptions options;
  options.text.source_column = "1";
  CHECK(graph_of("0 1 0\n1 0 1\n0 1 0\n", options).edges.num_edges() == 3);
}

TEST_CASE("where all ids are whole numbers each is one, however it is written") {
  GraphReadOptions options;
  NodeNames numbers, words, written;
  options.text.names = &numbers;
  CHECK(edges_of(graph_of("7,8.0\n007, +8\n", options).edges) == std::vector<Edge>{{0, 1}, {0, 1}});
  CHECK(numbers.as_numbers() == std::vector<std::uint64_t>{7, 8});
  options.text.names = &words;
  CHECK(graph_of("7,x\n007,7.0\n", options).edges.num_nodes == 2);
  options.text.names = &written;
  options.text.names_as_written = true;
  CHECK(graph_of("7,8\n007,NA\n", options).edges.num_nodes == 4);
  options.text.names_as_written = false;
  CHECK(graph_error("a,b\nb,NaN\n", options) ==
        "65 FILE:2: found 'NaN' as a node, expected two nodes (--ids text takes it as a name)");
  NodeNames quoted;
  options.text.names = &quoted;
  CHECK(graph_of("\"a \"\"b\"\"\",c\n", options).edges.num_nodes == 2);
  CHECK(quoted.name(0) == "a \"b\"");
}

TEST_CASE("texts of other formats are named, with the way in") {
  CHECK(graph_error("graph [\n directed 1\n]\n").starts_with("65 FILE: is a GML file, expected"));
  CHECK(graph_error("*Vertices 2\n1 \"a\"\n").starts_with("65 FILE: is a Pajek file, expected"));
  CHECK(
      graph_error("<?xml version='1.0'?><gexf/>").starts_with("65 FILE: is a GEXF file, expected"));
  CHECK(graph_error("\x80\x04\x95").starts_with("65 FILE: is a Python pickle, expected"));
}

TEST_CASE("a first line that counts nodes and edges is no edge") {
  CHECK(edges_of(graph_of("5 2\n0 1\n1 4\n").edges).size() == 2);
  CHECK(graph_of("9 2\n0\t1\n1\t4\n").edges.num_nodes == 9);
  // It is one where the numbers are others.
  CHECK(edges_of(graph_of("4 2\n0 1\n1 4\n").edges).front() == Edge{4, 2});
  CHECK(edges_of(graph_of("5 3\n0 1\n1 4\n").edges).size() == 3);
  CHECK(edges_of(graph_of("1 0\n").edges).front() == Edge{1, 0});
  GraphReadOptions options;
  options.text.header = "no";
  CHECK(edges_of(graph_of("5 2\n0 1\n1 4\n", options).edges).size() == 3);
  options.text.header = "auto";
  options.text.num_nodes = 5;
  CHECK(edges_of(graph_of("5 2\n0 1\n1 4\n", options).edges).size() == 2);
  CHECK(graph_error("6 2\n0 1\n1 4\n", options) ==
        "65 FILE:1: edge from 6 to 2, expected ids from 0 to 4");
}

TEST_CASE("between nodes of two types the first line is an edge, each end below its own number") {
  GraphReadOptions options;
  const auto sizes = [&](std::uint64_t sources, std::uint64_t targets) -> GraphReadOptions& {
    options.text.num_nodes = sources;
    options.text.num_targets = targets;
    return options;
  };
  CHECK(graph_error("9 2\n0 1\n2 1\n", sizes(10, 2)) ==
        "65 FILE:1: target 2, expected ids from 0 to 1");
  CHECK(edges_of(graph_of("0 9\n1 2\n2 3\n", sizes(3, 10)).edges).size() == 3);
  CHECK(edges_of(graph_of("3 2\n0 1\n2 0\n", sizes(kMostNodes, kMostNodes)).edges).front() ==
        Edge{3, 2});
  CHECK(graph_error("0 0\n", sizes(1, 0)) == "65 FILE:1: target 0, but there are no such nodes");
}

TEST_CASE("lines that are no edges are refused with their place") {
  CHECK(graph_error("0 1\n1 x\n") ==
        "65 FILE:2: found 'x' as target, expected a number from 0 on (--ids any takes all names)");
  CHECK(graph_error("# c\n0,1\n\n1,-1\n") ==
        "65 FILE:4: found '-1' as target, expected a number from 0 on (--ids any takes all names)");
  CHECK(graph_error("0,1\n7\n") ==
        "65 FILE:2: found 1 column, expected 2 as in line 1; lists of neighbours are no edges: "
        "write an "
        "edge a line");
  CHECK(graph_error("0 1\n1 4294967295\n") ==
        "65 FILE:2: target 4294967295, expected ids from 0 to 4294967294 (--ids any takes others)");
  CHECK(
      graph_error("0 1\n99999999999999999999 1\n").starts_with("65 FILE:2: found '9999999999999"));
  CHECK(graph_error("0 1\n1.5 2\n").starts_with("65 FILE:2: found '1.5' as source"));
  CHECK(graph_error("0 1\n1 2x\n").starts_with("65 FILE:2: found '2x' as target"));
  GraphReadOptions options;
  options.text.num_nodes = 3;
  CHECK(graph_error("0 1\n1 3\n", options) == "65 FILE:2: target 3, expected ids from 0 to 2");
  options.text.num_nodes = kMostNodes;
  options.text.weight_column = "3";
  CHECK(graph_error("0 1 nan\n", options) ==
        "65 FILE:1: found 'nan' as weight, expected a finite number");
  CHECK(graph_error("0 1 1\n0 1\n", options)
            .starts_with("65 FILE:2: found 2 columns, expected 3 as in line 1; "));
  CHECK(graph_error("0 1 1\n0 1 -2\n", options) == "65 FILE:2: weight -2, expected 0 or more");
  options.text.weight_column = "";
  options.text.time_column = "3";
  CHECK(graph_error("0 1 inf\n", options) ==
        "65 FILE:1: found 'inf' as time, expected a finite number");
  CHECK(graph_error("0,1\n\"0,1\n").starts_with("65 FILE:2: a quote is opened here"));
  CHECK(graph_error("only\n") == "65 FILE:1: found 1 column, expected a source and a target");
}

TEST_CASE("an empty list is a graph without edges") {
  CHECK(graph_of("").edges.num_nodes == 0);
  CHECK(graph_of("# nothing\n").edges.num_edges() == 0);
  GraphReadOptions options;
  options.text.num_nodes = 4;
  CHECK(graph_of("# nothing\n", options).edges.num_nodes == 4);
}

TEST_CASE("names are numbered as they come, or as a list says") {
  NodeNames names;
  GraphReadOptions options;
  options.text.names = &names;
  const GraphInput input = graph_of("a b,c\nc,\"x, y\"\na b,\"x, y\"\n", options);
  CHECK(edges_of(input.edges) == std::vector<Edge>{{0, 1}, {1, 2}, {0, 2}});
  CHECK(input.edges.num_nodes == 3);
  CHECK(names.name(2) == "x, y");
  CHECK(!names.as_numbers());

  NodeNames numbers;
  options.text.names = &numbers;
  CHECK(edges_of(graph_of("77\t5\n5\t12345678901\n", options).edges) ==
        std::vector<Edge>{{0, 1}, {1, 2}});
  CHECK(numbers.as_numbers() == std::vector<std::uint64_t>{77, 5, 12345678901});

  for (const char* text : {"Source,Target,Time\nx,y,1\n", "fan,star,Time\nx,y,1\n"}) {
    NodeNames two;
    options.text.names = &two;
    options.text.time_column = "Time";
    CHECK(edges_of(graph_of(text, options).edges) == std::vector<Edge>{{0, 1}});
    CHECK(two.size() == 2);
  }
  options.text.time_column = "";

  const TextFile list("c\nb\na\n");
  NodeNames listed = read_node_names(list.path());
  options.text.names = &listed;
  options.text.new_names = false;
  const GraphInput known = graph_of("a c\n", options);
  CHECK(edges_of(known.edges) == std::vector<Edge>{{2, 0}});
  CHECK(known.edges.num_nodes == 3);
  CHECK(graph_error("a c\na d\n", options) == "65 FILE:2: node 'd' is not in the list of nodes");
  const TextFile twice("c\nb\nc\n");
  CHECK(error_of([&] { read_node_names(twice.path()); }) ==
        "65 " + twice.path() +
            ":3: 'c' stands there a second time, expected a different name for each node");
}

TEST_CASE("a long list is the same for any number of threads, its errors in the order of lines") {
  std::string text;
  for (std::uint64_t i = 0; i < 200000; ++i) {
    text += std::to_string(i * 7919 % 65536) + "\t" + std::to_string(i) + "\n";
  }
  const int threads = num_threads();
  set_num_threads(1);
  const auto one = edges_of(graph_of(text).edges);
  set_num_threads(4);
  const auto four = edges_of(graph_of(text).edges);
  CHECK(one.size() == 200000);
  CHECK(one == four);
  text += "a b\n" + text + "c d\n";
  CHECK(graph_error(text).starts_with("65 FILE:200001: found 'a' as source, "));
  set_num_threads(threads);
}
