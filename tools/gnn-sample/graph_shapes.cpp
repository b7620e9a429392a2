#include "tools/gnn-sample/graph_shapes.h"

#include <string>

#include "libcore/base/error.h"

namespace frugal::gnn {
namespace {

// Mini-batches of 1,024 seeds with fanouts 15, 10, 5 have 516 k nodes, as those of ogbn-products
// (517 k: GraphBolt's example of LABOR sampling).
constexpr RmatShares kProductsQuadrants{0.5, 0.2, 0.2, 0.1};

constexpr GraphShape kShapes[] = {
    {.name = "small",
     .description = "10,000 nodes, 50,000 undirected edges, 32 features, 8 classes",
     .model = EdgeModel::sbm,
     .directed = false,
     .nodes = 10000,
     .edges = 50000,
     .classes = 8,
     .features = 32,
     .train = 5000,
     .valid = 2000,
     .test = 3000,
     .homophily = 0.7,
     .separation = 1.5,
     .label_noise = 0,
     .quadrants = {}},
    {.name = "arxiv",
     .description = "ogbn-arxiv's 169,343 nodes, 1.17 M directed edges, 128 features, 40 classes",
     .model = EdgeModel::rmat,
     .directed = true,
     .nodes = 169343,
     .edges = 1171000,
     .classes = 40,
     .features = 128,
     .train = 90941,
     .valid = 29799,
     .test = 48603,
     .homophily = 0.8,
     .separation = 3,
     .label_noise = 0.1,
     .quadrants = kProductsQuadrants},
    {.name = "products",
     .description = "ogbn-products' 2.4 M nodes, 62 M undirected edges, 100 features, 47 classes",
     .model = EdgeModel::rmat,
     .directed = false,
     .nodes = 2449029,
     .edges = 62000000,
     .classes = 47,
     .features = 100,
     .train = 196615,
     .valid = 39323,
     .test = 2213091,
     .homophily = 0.9,
     .separation = 2.5,
     .label_noise = 0.05,
     .quadrants = kProductsQuadrants},
    {.name = "papers",
     .description =
         "ogbn-papers100M's 111 M nodes, 1.6 G directed edges, 128 features, 172 classes",
     .model = EdgeModel::rmat,
     .directed = true,
     .nodes = 111059956,
     .edges = 1615685872,
     .classes = 172,
     .features = 128,
     .train = 1207179,
     .valid = 125265,
     .test = 214338,
     .homophily = 0.6,
     .separation = 3,
     .label_noise = 0.2,
     .quadrants = kProductsQuadrants}};

}  // namespace

std::span<const GraphShape> graph_shapes() { return kShapes; }

const GraphShape& graph_shape(std::string_view name) {
  std::string names;
  for (const GraphShape& shape : kShapes) {
    if (shape.name == name) return shape;
    names += (names.empty() ? "" : ", ") + std::string(shape.name);
  }
  fail(ExitStatus::usage, "--shape is '", name, "', expected one of ", names);
}

}  // namespace frugal::gnn
