#include "tools/gnn-sample/data/stored_graph.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <functional>

#include "tests/support/text_file.h"
#include "tools/gnn-sample/data/graph_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

/// Edges 1->0, 2->0, 0->1, 2->3 (twice) with all that a homogeneous graph may have.
Document small_graph() {
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", "4"},
                       {"graph.edges", "5"},
                       {"graph.directed", "true"},
                       {"graph.classes", "3"}};
  const auto add = [&](Tensor tensor) { document.tensors.push_back(std::move(tensor)); };
  add(Tensor::copy_of<std::uint64_t>("offsets", {5}, std::vector<std::uint64_t>{0, 2, 3, 3, 5}));
  add(Tensor::copy_of<std::uint32_t>("neighbors", {5}, std::vector<std::uint32_t>{1, 2, 0, 2, 2}));
  add(Tensor::copy_of<std::uint64_t>("edge_ids", {5}, std::vector<std::uint64_t>{4, 3, 2, 1, 0}));
  add(Tensor::copy_of<float>("weights", {5}, std::vector<float>{1, 2, 0, 0.5F, 3}));
  add(Tensor::copy_of<double>("times", {5}, std::vector<double>{1, 2, 7, -1, -1}));
  add(Tensor::copy_of<float>("features", {4, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  add(Tensor::copy_of<std::int32_t>("labels", {4}, std::vector<std::int32_t>{0, -1, 1, 0}));
  add(Tensor::copy_of<std::uint8_t>("split", {4, 2},
                                    std::vector<std::uint8_t>{0, 1, 255, 0, 1, 2, 0, 0}));
  add(Tensor::copy_of<std::uint64_t>("ids", {4}, std::vector<std::uint64_t>{10, 7, 8, 99}));
  add(Tensor::copy_of<std::uint32_t>("partition", {4}, std::vector<std::uint32_t>{0, 1, 1, 0}));
  add(Tensor::copy_of<float>("edge_features", {5, 2},
                             std::vector<float>{0, 1, -2, 3, 4, 5, 6, 7, 8, 9}));
  return document;
}

template <class T>
std::vector<T> list_of(std::span<const T> values) {
  return {values.begin(), values.end()};
}

/// The error of opening the small graph after `change`.
std::string error_after(const std::function<void(Document&)>& change,
                        Residence residence = Residence::automatic) {
  Document document = small_graph();
  change(document);
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  std::string error = error_of([&] { StoredGraph graph(file.path(), residence); });
  const std::size_t at = error.find(file.path());
  if (at != std::string::npos) error.replace(at, file.path().size(), "FILE");
  return error;
}

Tensor& tensor(Document& document, const char* name) { return document.at(name); }

void check_small(const StoredGraph& graph) {
  graph.require_homogeneous();
  CHECK(graph.directed());
  CHECK(graph.num_nodes() == 4);
  CHECK(list_of(graph.csr().row(0)) == std::vector<NodeId>{1, 2});
  CHECK(list_of(graph.edge_ids()) == std::vector<EdgeId>{4, 3, 2, 1, 0});
  CHECK(graph.weights()[3] == 0.5F);
  CHECK(graph.times()[2] == 7);
  CHECK(graph.edge_features().dim == 2);
  CHECK(graph.edge_features().values[2] == -2);
  REQUIRE(graph.features());
  CHECK(graph.features()->rows == 4);
  CHECK(graph.features()->dim == 2);
  float second[2];
  std::memcpy(second, graph.features()->row(1), sizeof second);
  CHECK(second[1] == 4);
  CHECK(graph.num_classes() == 3);
  CHECK(list_of(graph.labels()) == std::vector<std::int32_t>{0, -1, 1, 0});
  CHECK(graph.num_splits() == 2);
  CHECK(list_of(graph.split(1)) == std::vector<std::uint8_t>{1, 0, 2, 0});
  CHECK(graph.nodes_in(Part::train) == std::vector<NodeId>{0, 3});
  CHECK(graph.nodes_in(Part::train, 1) == std::vector<NodeId>{1, 3});
  CHECK(graph.nodes_in(Part::none) == std::vector<NodeId>{1});
  CHECK(graph.ids()[3] == 99);
  CHECK(graph.partition()[1] == 1);
}

}  // namespace

TEST_CASE("a graph is the same from memory, mapped, and compressed") {
  const TextFile plain("", ".safetensors"), packed("", ".graph");
  write_document(plain.path(), small_graph());
  write_document(packed.path(), small_graph());
  for (const Residence residence : {Residence::automatic, Residence::memory, Residence::mapped}) {
    const StoredGraph graph(plain.path(), residence);
    check_small(graph);
    CHECK(graph.topology_is_mapped() == (residence == Residence::mapped));
  }
  check_small(StoredGraph(packed.path()));
  check_small(StoredGraph(packed.path(), Residence::memory));
  CHECK(error_of([&] {
          StoredGraph graph(packed.path(), Residence::mapped);
        }).starts_with("2 " + packed.path() + ": cannot be mapped"));
  CHECK(error_of([&] { StoredGraph(plain.path()).split(2); }) ==
        "2 " + plain.path() + ": split 2 asked for, expected 0 to 1");
}

TEST_CASE("an undirected graph has each edge in both directions") {
  const auto ring = [](std::vector<std::uint32_t> neighbors) {
    Document document;
    const std::uint64_t degree = neighbors.size() / 4;
    document.metadata = {{"frugal.kind", "graph"}, {"graph.directed", "false"}};
    document.tensors.push_back(Tensor::copy_of<std::uint64_t>(
        "offsets", {5}, std::vector<std::uint64_t>{0, degree, 2 * degree, 3 * degree, 4 * degree}));
    document.tensors.push_back(
        Tensor::copy_of<std::uint32_t>("neighbors", {neighbors.size()}, neighbors));
    const TextFile file("", ".safetensors");
    write_document(file.path(), document);
    return error_of([&] { StoredGraph graph(file.path()); });
  };
  CHECK(ring({1, 3, 0, 2, 1, 3, 0, 2}) == "no error");
  CHECK(ring({1, 2, 3, 0})
            .ends_with(": metadata graph.directed is false, but edges are there in one direction "
                       "only, expected "
                       "each of them in both"));
}

TEST_CASE("a graph that is saved again is the same file") {
  for (const char* suffix : {".safetensors", ".safetensors.zst"}) {
    const TextFile first("", suffix), second("", suffix), third("", suffix);
    write_document(first.path(), small_graph());
    const StoredGraph graph(first.path());
    save_graph(second.path(), graph.content());
    check_small(StoredGraph(second.path()));
    // Features that are made while they are written.
    GraphContent content = graph.content();
    const FeatureView features = *content.nodes[0].features;
    content.nodes[0].features->data = nullptr;
    save_graph(third.path(), content, {},
               [&](std::uint64_t begin, std::uint64_t, std::span<std::byte> to) {
                 std::memcpy(to.data(), features.row(begin), to.size());
               });
    const auto bytes = [](const TextFile& file) {
      std::ifstream in(file.path(), std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    CHECK(bytes(first) == bytes(second));
    CHECK(bytes(first) == bytes(third));
  }
}

namespace {

/// The small graph's features become the sparse rows {1 at 0, 2 at 2}, {}, {3 at 1}, {}.
void make_sparse(Document& document) {
  std::erase_if(document.tensors, [](const Tensor& t) { return t.name == "features"; });
  const auto add = [&](Tensor tensor) { document.tensors.push_back(std::move(tensor)); };
  add(Tensor::copy_of<std::uint64_t>("features.offsets", {5},
                                     std::vector<std::uint64_t>{0, 2, 2, 3, 3}));
  add(Tensor::copy_of<std::uint32_t>("features.columns", {3}, std::vector<std::uint32_t>{0, 2, 1}));
  add(Tensor::copy_of<float>("features.values", {3}, std::vector<float>{1, 2, 3}));
  document.metadata["graph.features"] = "3";
}

std::string sparse_error_after(const std::function<void(Document&)>& change) {
  return error_after([&](Document& document) {
    make_sparse(document);
    change(document);
  });
}

}  // namespace

TEST_CASE("sparse features are the same from memory, mapped and saved again") {
  Document document = small_graph();
  make_sparse(document);
  const TextFile plain("", ".safetensors"), again("", ".safetensors");
  write_document(plain.path(), document);
  for (const Residence residence : {Residence::automatic, Residence::memory, Residence::mapped}) {
    const StoredGraph graph(plain.path(), residence);
    save_graph(again.path(), graph.content());
    for (const std::string& path : {plain.path(), again.path()}) {
      const StoredGraph read(path, residence);
      CHECK(read.features_are_mapped() == (residence == Residence::mapped));
      const FeatureView view = *read.features();
      REQUIRE(view.sparse());
      CHECK(view.dim == 3);
      CHECK(view.size() == 3);
      CHECK(list_of(view.row_columns(0)) == std::vector<std::uint32_t>{0, 2});
      CHECK(view.row_size(1) == 0);
      std::vector<float> room;
      CHECK(view.row_values(2, room)[0] == 3);
    }
  }
}

TEST_CASE("sparse features of two bytes are widened, whatever room there is") {
  const float values[] = {1.5F, -2, 0.25F};
  std::vector<BFloat16> bf16;
  std::vector<Float16> f16;
  for (const float x : values) bf16.push_back(to_bfloat16(x)), f16.push_back(to_float16(x));
  const std::uint64_t offsets[] = {0, 2, 3};
  for (const Dtype dtype : {Dtype::bf16, Dtype::f16}) {
    FeatureView view;
    view.dtype = dtype;
    view.data = dtype == Dtype::bf16 ? reinterpret_cast<const std::byte*>(bf16.data())
                                     : reinterpret_cast<const std::byte*>(f16.data());
    view.offsets = offsets;
    std::vector<float> room(1);
    const float* row = view.row_values(0, room);
    CHECK(std::vector<float>(row, row + 2) == std::vector<float>{1.5F, -2});
    REQUIRE(room.size() == 2);
    CHECK(view.row_values(1, room)[0] == 0.25F);
  }
}

TEST_CASE("sparse features that are damaged are refused with what was expected") {
  const auto offsets = [](std::size_t at, std::uint64_t value) {
    return sparse_error_after(
        [=](Document& d) { tensor(d, "features.offsets").as<std::uint64_t>()[at] = value; });
  };
  const auto columns = [](std::size_t at, std::uint32_t value) {
    return sparse_error_after(
        [=](Document& d) { tensor(d, "features.columns").as<std::uint32_t>()[at] = value; });
  };
  CHECK(offsets(1, 4) ==
        "65 FILE: features.offsets: those of node 1 descend, expected them to ascend from 0 to "
        "the 3 columns");
  CHECK(offsets(0, 1).starts_with("65 FILE: features.offsets: they go from 1 to 3"));
  CHECK(offsets(4, std::uint64_t{1} << 63)
            .starts_with("65 FILE: features.offsets: they go from 0 to 9223372036854775808"));
  CHECK(columns(1, 3) == "65 FILE: features.columns: entry 1 is 3, expected 0 to 2");
  CHECK(columns(1, 0) ==
        "65 FILE: features.columns: those of node 0 do not ascend, expected each once and in "
        "order");
  CHECK(error_after([](Document& d) { d.metadata["graph.edges"] = "6"; }) ==
        "65 FILE: graph.edges is '6', expected 5, as many as there are");
  CHECK(sparse_error_after([](Document& d) { d.metadata.erase("graph.features"); }) ==
        "65 FILE: metadata graph.features is missing, expected 1 to 16777216 for tensor "
        "features.columns");
  CHECK(sparse_error_after([](Document& d) {
          d.metadata["graph.features"] = "0";
        }).starts_with("65 FILE: metadata graph.features is 0, expected"));
  for (const char* name : {"features.offsets", "features.columns"}) {
    CHECK(sparse_error_after([=](Document& d) {
            std::erase_if(d.tensors, [=](const Tensor& t) { return t.name == name; });
          }) == std::string("65 FILE: no tensor '") + name + "', expected a graph");
  }
  CHECK(sparse_error_after([](Document& d) {
          tensor(d, "features.values") =
              Tensor::copy_of<float>("features.values", {2}, std::vector<float>{1, 2});
        }) ==
        "65 FILE: tensor 'features.values' is F32 [2], expected F32, F16 or BF16 [3], as "
        "many as features.columns");
  CHECK(sparse_error_after([](Document& d) {
          d.tensors.push_back(
              Tensor::copy_of<float>("features", {4, 1}, std::vector<float>{1, 2, 3, 4}));
        }) == "65 FILE: tensor 'features.columns' is U32 [3], expected none beside 'features'");
}

TEST_CASE("what is no graph is refused with what was expected") {
  CHECK(error_after([](Document& d) { d.metadata["frugal.kind"] = "model"; }) ==
        "65 FILE: found a file of kind 'model', expected a graph as gnn-sample import or generate "
        "writes");
  CHECK(error_after([](Document& d) { d.metadata["graph.directed"] = "False"; }) ==
        "65 FILE: metadata 'graph.directed' is 'False', expected true or false");
  CHECK(error_after([](Document& d) { tensor(d, "offsets").name = "offset"; }) ==
        "65 FILE: no tensor 'offsets', expected a graph");
  CHECK(error_after([](Document& d) { d.metadata["graph.nodes"] = "5"; }) ==
        "65 FILE: tensor 'offsets' has rows for 4 nodes, expected 5");
  CHECK(error_after([](Document& d) { d.metadata["graph.classes"] = "many"; }) ==
        "65 FILE: metadata 'graph.classes' is 'many', expected a number from 0 to "
        "18446744073709551615");
  CHECK(error_after([](Document& d) { d.metadata["graph.classes"] = "1099511627776"; }) ==
        "65 FILE: metadata graph.classes is 1099511627776, expected at most 2147483647");
  CHECK(error_of([] { StoredGraph graph("/nowhere/g.safetensors"); }).starts_with("66 "));
  const TextFile text("0 1\n1 2\n", ".safetensors");
  CHECK(error_of([&] { StoredGraph graph(text.path()); }).starts_with("65 " + text.path()));
}

TEST_CASE("edges that make no graph are refused") {
  const auto values = [](auto change) { return change; };
  CHECK(error_after(values([](Document& d) {
          tensor(d, "offsets").as<EdgeId>()[0] = 1;
        })).starts_with("65 FILE: offsets "));
  CHECK(error_after([](Document& d) {
          tensor(d, "offsets").as<EdgeId>()[4] = 4;
        }).starts_with("65 FILE: offsets "));
  CHECK(error_after([](Document& d) {
          tensor(d, "offsets").as<EdgeId>()[1] = 4;
        }).starts_with("65 FILE: row 1 "));
  CHECK(error_after([](Document& d) {
          tensor(d, "neighbors").as<NodeId>()[4] = 4;
        }).starts_with("65 FILE: row 3 has neighbor 4, "));
  CHECK(error_after([](Document& d) {
          tensor(d, "times").as<double>()[1] = 0;
        }).starts_with("65 FILE: row 0 has time 0 behind 1"));
  CHECK(error_after([](Document& d) { tensor(d, "times").as<double>()[4] = 1.0 / 0.0; }) ==
        "65 FILE: times inf of an edge of node 3, expected finite numbers");
  CHECK(error_after([](Document& d) { tensor(d, "weights").as<float>()[2] = -1; }) ==
        "65 FILE: weights -1 of an edge of node 1, expected finite numbers, not negative");
  CHECK(error_after([](Document& d) {
          tensor(d, "weights").as<float>()[2] = 0.0F / 0.0F;
        }).starts_with("65 FILE: weights "));
  CHECK(error_after([](Document& d) {
          tensor(d, "edge_features").as<float>()[5] = 0.0F / 0.0F;
        }).starts_with("65 FILE: edge_features of an edge of node 1 have a "));
  CHECK(error_after([](Document& d) {
          d.tensors.erase(d.tensors.begin() + 4);  // without times rows must ascend
          tensor(d, "neighbors").as<NodeId>()[1] = 0;
        }).starts_with("65 FILE: row 0 has neighbor 0 behind 1"));
}

TEST_CASE("what is known about nodes must fit their number") {
  const auto shorten = [](const char* name, Shape shape) {
    return error_after([&](Document& d) {
      Tensor& t = tensor(d, name);
      t = Tensor::make(name, t.dtype, shape);
      std::memset(t.bytes.data(), 0, t.bytes.size());
    });
  };
  CHECK(shorten("features", {3, 2}) ==
        "65 FILE: tensor 'features' is F32 [3, 2], expected F32, F16, BF16 or I8 [4, features], a "
        "row for each node");
  CHECK(shorten("labels", {5}) == "65 FILE: tensor 'labels' is I32 [5], expected I32 [4]");
  CHECK(shorten("split", {2, 2}) == "65 FILE: tensor 'split' is U8 [2, 2], expected U8 [4, 2]");
  CHECK(shorten("ids", {1}) == "65 FILE: tensor 'ids' is U64 [1], expected U64 [4]");
  for (const Shape& shape : {Shape{4, 2}, Shape{5, 0}, Shape{5}}) {
    CHECK(shorten("edge_features", shape)
              .ends_with("expected F32 [5, features], a row for each edge"));
  }
  CHECK(shorten("weights", {4}) == "65 FILE: tensor 'weights' is F32 [4], expected F32 [5]");
  CHECK(error_after([](Document& d) { tensor(d, "labels").as<std::int32_t>()[1] = 3; }) ==
        "65 FILE: labels: node 1 is of class 3, expected -1 (none) or a class below 3");
  CHECK(error_after([](Document& d) { tensor(d, "split").as<std::uint8_t>()[2] = 3; }) ==
        "65 FILE: split: node 1 is in part 3, expected 0 (train), 1 (valid), 2 (test) or 255 "
        "(none)");
  CHECK(error_after([](Document& d) {
          Tensor& t = tensor(d, "features");
          t = Tensor::make("features", Dtype::i8, {4, 2});
          std::memset(t.bytes.data(), 0, t.bytes.size());
        }) == "65 FILE: tensor 'features' is I8 [4, 2], expected features.scale with I8");
}

TEST_CASE("several labels a node are a matrix") {
  Document document = small_graph();
  document.at("labels") =
      Tensor::copy_of<std::uint8_t>("labels", {4, 3}, std::vector<std::uint8_t>(12, 1));
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  const StoredGraph graph(file.path());
  CHECK(graph.labels().empty());
  CHECK(graph.label_matrix().size() == 12);
  CHECK(graph.num_classes() == 3);
  document.at("labels").as<std::uint8_t>()[7] = 2;
  write_document(file.path(), document);
  CHECK(error_of([&] { StoredGraph again(file.path()); }) ==
        "65 " + file.path() + ": labels: node 2 has 2 for class 1, expected 0 or 1");
}

TEST_CASE("classes are counted where the metadata do not say how many there are") {
  Document document = small_graph();
  document.metadata.erase("graph.classes");
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  CHECK(StoredGraph(file.path()).num_classes() == 2);
  document.at("labels").as<std::int32_t>()[1] = 0x7fffffff;
  write_document(file.path(), document);
  CHECK(StoredGraph(file.path()).num_classes() == 0x80000000);
}

TEST_CASE("a graph without labels has no classes, whatever the metadata say") {
  Document document = small_graph();
  std::erase_if(document.tensors, [](const Tensor& t) { return t.name == "labels"; });
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  CHECK(StoredGraph(file.path()).num_classes() == 0);
}

TEST_CASE("a graph of several types lists them") {
  const std::vector<std::uint64_t> writes_offsets{0, 1, 3}, cites_offsets{0, 0, 1};
  const std::vector<NodeId> writes{2, 0, 1}, cites{0};
  GraphContent content;
  content.heterogeneous = true;
  content.nodes.resize(2);
  content.nodes[0].type = "author";
  content.nodes[0].size = 3;
  content.nodes[1].type = "paper";
  content.nodes[1].size = 2;
  const std::vector<std::int32_t> labels{4, 0};
  content.nodes[1].labels = labels;
  content.nodes[1].num_classes = 5;
  content.edges.resize(2);
  content.edges[0] = {"author", "writes", "paper", {writes_offsets, writes}, {}, {}, {}};
  content.edges[1] = {"paper", "cites", "paper", {cites_offsets, cites}, {}, {}, {}};
  const TextFile file("", ".safetensors");
  save_graph(file.path(), content);
  const StoredGraph graph(file.path());
  CHECK(graph.heterogeneous());
  CHECK(graph.content().nodes_of("author").size == 3);
  CHECK(graph.content().nodes[1].num_classes == 5);
  CHECK(edge_type_name(graph.content().edges[0]) == "author:writes:paper");
  CHECK(list_of(graph.content().edges[0].csr.row(1)) == std::vector<NodeId>{0, 1});
  CHECK(error_of([&] {
          graph.require_homogeneous();
        }).starts_with("65 " + file.path() + ": is a graph of several types of nodes (author"));
  const auto error_with = [&](const char* key, const char* value) {
    Document document = read_document(file.path());
    document.metadata[key] = value;
    const TextFile bad("", ".safetensors");
    write_document(bad.path(), document);
    return error_of([&] { StoredGraph again(bad.path()); }).substr(bad.path().size());
  };
  CHECK(error_with("graph.node_types", "author,paper,author")
            .ends_with("graph.node_types has 'author' twice, expected different names"));
  CHECK(error_with("graph.node_types", "author,paper,")
            .ends_with("graph.node_types has a type without a name, expected different names"));
  CHECK(error_with("graph.edge_types", "paper:cites:paper,paper:cites:paper")
            .ends_with("has 'paper:cites:paper' twice, expected different names"));
  content.nodes[0].size = 2;  // author 2 writes paper 0
  save_graph(file.path(), content);
  CHECK(error_of([&] { StoredGraph bad(file.path()); })
            .starts_with("65 " + file.path() +
                         ": edges/author:writes:paper: row 0 has neighbor "
                         "2"));
}

TEST_CASE("edges that are kept keep what is known about them") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), small_graph());
  StoredGraph graph(file.path());
  graph.keep_edges([](NodeId source, NodeId target) { return source != 2 || target == 0; });
  CHECK(list_of(graph.csr().offsets) == std::vector<EdgeId>{0, 2, 3, 3, 3});
  CHECK(list_of(graph.csr().neighbors) == std::vector<NodeId>{1, 2, 0});
  CHECK(list_of(graph.edge_ids()) == std::vector<EdgeId>{4, 3, 2});
  CHECK(list_of(graph.weights()) == std::vector<float>{1, 2, 0});
  CHECK(list_of(graph.times()) == std::vector<double>{1, 2, 7});
  CHECK(list_of(graph.edge_features().values) == std::vector<float>{0, 1, -2, 3, 4, 5});
  graph.keep_edges([](NodeId source, NodeId) { return source == 0; });
  CHECK(list_of(graph.csr().neighbors) == std::vector<NodeId>{0});
  CHECK(list_of(graph.times()) == std::vector<double>{7});
  CHECK(list_of(graph.edge_features().values) == std::vector<float>{4, 5});
  CHECK(graph.num_nodes() == 4);
}

TEST_CASE("all edges may be left out of a graph, mapped or in memory") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), small_graph());
  for (const Residence residence : {Residence::memory, Residence::mapped}) {
    StoredGraph graph(file.path(), residence);
    graph.drop_edges();
    CHECK(list_of(graph.csr().offsets) == std::vector<EdgeId>(5, 0));
    CHECK(graph.num_edges() == 0);
    CHECK(graph.weights().empty());
    CHECK(graph.times().empty());
    CHECK(graph.edge_ids().empty());
    CHECK(graph.edge_features().dim == 0);
    CHECK(graph.num_nodes() == 4);
    CHECK(graph.features()->rows == 4);
  }
}
