#include "tools/gnn-sample/making/generate.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/float16.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "libcore/graph/class_features.h"
#include "libcore/graph/generate_edges.h"
#include "libcore/system/limits.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/graph_file.h"

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
     .description =
         "as ogbn-arxiv, 169,343 nodes, 1.17 million directed edges, 128 features, 40 classes",
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
     .description =
         "as ogbn-products, 2.4 million nodes, 62 million undirected edges, 100 features, 47 "
         "classes",
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
         "as ogbn-papers100M, 111 million nodes, 1.6 billion directed edges, 128 features, 172 "
         "classes",
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

namespace {

constexpr std::uint64_t kMostGeneratedNodes = 0xffffffff,
                        kMostGeneratedEdges = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostGeneratedClasses = 65536, kMostFeatures = 65536;

RmatShares parse_quadrants(const std::string& text) {
  std::vector<double> shares;
  for (const std::string_view part : split(text, ',')) {
    shares.push_back(parse_number<double>(part).value_or(-1));
  }
  if (shares.size() != 4) {
    fail(ExitStatus::usage, "--quadrants is '", printable(text),
         "', expected four shares that sum to 1, as in 0.57,0.19,0.19,0.05");
  }
  return {shares[0], shares[1], shares[2], shares[3]};
}

std::uint64_t rounded(double x) { return static_cast<std::uint64_t>(std::llround(x)); }

std::uint64_t between(const char* option, std::uint64_t value, std::uint64_t low,
                      std::uint64_t high) {
  if (value >= low && value <= high) return value;
  fail(ExitStatus::usage, option, " is ", value, ", expected ", low, " to ", high);
}

double share(const char* option, double value) {
  if (value >= 0 && value <= 1) return value;
  fail(ExitStatus::usage, option, " is ", value, ", expected 0 to 1");
}

/// Small enough for features of every type.
double separation(double value) {
  constexpr double kLargest = 10000;
  if (value >= 0 && value <= kLargest) return value;
  fail(ExitStatus::usage, "--separation is ", value, ", expected 0 to ", kLargest);
}

/// The numbers of nodes and parts: scaled, or where --nodes is given in the shape's proportions.
void set_nodes(const GenerateOptions& o, GraphShape& shape) {
  const auto all = static_cast<double>(shape.nodes);
  const double train = o.train_share >= 0 ? share("--train-share", o.train_share)
                                          : static_cast<double>(shape.train) / all;
  const double valid = o.valid_share >= 0 ? share("--valid-share", o.valid_share)
                                          : static_cast<double>(shape.valid) / all;
  if (train + valid > 1) {
    fail(ExitStatus::usage, "--train-share and --valid-share are ", train, " and ", valid,
         ", expected at most 1 together");
  }
  const double test = static_cast<double>(shape.test) / all;
  shape.nodes = o.nodes != 0 ? o.nodes : rounded(all / o.scale);
  between("--nodes", shape.nodes, 1, kMostGeneratedNodes);
  const auto n = static_cast<double>(shape.nodes);
  const bool all_used = shape.train + shape.valid + shape.test == rounded(all);
  shape.train = std::min(shape.nodes, rounded(train * n));
  shape.valid = std::min(shape.nodes - shape.train, rounded(valid * n));
  const std::uint64_t left = shape.nodes - shape.train - shape.valid;
  shape.test = all_used ? left : std::min(left, rounded(test * n));
}

void set_edges(const GenerateOptions& o, double shape_degree, GraphShape& shape) {
  const double per_node = o.degree != 0 ? o.degree / (shape.directed ? 1 : 2) : shape_degree;
  const double wanted = per_node * static_cast<double>(shape.nodes);
  if (!(wanted >= 0 && wanted <= static_cast<double>(kMostGeneratedEdges))) {
    fail(ExitStatus::usage, "--degree is ", o.degree, ", expected 0 to ", kMostGeneratedEdges,
         " edges");
  }
  shape.edges = o.edges != 0 ? o.edges : rounded(wanted);
  between("--edges", shape.edges, 1, kMostGeneratedEdges);
}

/// The shape that options name, with what they say instead of it. Fails (usage) for what makes no
/// sense.
GraphShape shape_of(const GenerateOptions& o) {
  GraphShape shape = graph_shape(o.shape);
  if (!(o.scale >= 1)) fail(ExitStatus::usage, "--scale is ", o.scale, ", expected 1 or more");
  if (!o.model.empty()) shape.model = o.model == "sbm" ? EdgeModel::sbm : EdgeModel::rmat;
  if (!o.direction.empty()) shape.directed = o.direction == "directed";
  const double shape_degree = static_cast<double>(shape.edges) / static_cast<double>(shape.nodes);
  set_nodes(o, shape);
  set_edges(o, shape_degree, shape);
  if (o.classes != 0) shape.classes = o.classes;
  if (o.features >= 0) shape.features = static_cast<std::uint64_t>(o.features);
  between("--classes", shape.classes, 1, std::min(kMostGeneratedClasses, shape.nodes));
  between("--features", shape.features, 0, kMostFeatures);
  if (o.homophily >= 0) shape.homophily = share("--homophily", o.homophily);
  if (o.separation != -1) shape.separation = separation(o.separation);
  if (o.label_noise >= 0) shape.label_noise = share("--label-noise", o.label_noise);
  if (!o.quadrants.empty()) shape.quadrants = parse_quadrants(o.quadrants);
  if (o.degree_exponent != 0 && shape.model != EdgeModel::sbm) {
    fail(ExitStatus::usage, "--exponent is for --model sbm");
  }
  if (!o.quadrants.empty() && shape.model != EdgeModel::rmat) {
    fail(ExitStatus::usage, "--quadrants is for --model rmat");
  }
  return shape;
}

constexpr std::uint64_t kLabels = 0x6c61626c, kWeights = 0x77656967, kSplit = 0x73706c74;

EdgeList make_edges(const GenerateOptions& o, const GraphShape& shape, const PlantedClasses& nodes,
                    const GenerateProgress& progress) {
  const std::uint64_t stored = shape.edges * (shape.directed ? 1 : 2);
  const std::uint64_t bytes_an_edge = 8 + (o.weights ? 4 : 0) + (o.times ? 8 : 0);
  check_memory("a graph of " + format_count(shape.edges, "edge"),
               stored * (bytes_an_edge + (o.edge_ids ? 8 : 0)) + shape.nodes * 13);
  const EdgeProgress made = [&](std::uint64_t edges) { progress.edges(edges, shape.edges); };
  EdgeList list =
      shape.model == EdgeModel::rmat
          ? rmat_edges({shape.edges, shape.quadrants, shape.homophily, o.seed}, nodes, made)
          : sbm_edges({shape.edges, shape.homophily, o.degree_exponent, o.seed}, nodes, made);
  std::uint64_t first = 0;
  const Rng rng(o.seed, kWeights);
  for (EdgeChunk& chunk : list.chunks) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const std::uint64_t e = first + i;
      if (o.weights) chunk.weights.push_back(static_cast<float>((rng.at(e) >> 40) + 1) * 0x1p-24F);
      if (o.times) chunk.times.push_back(static_cast<double>(e));
    }
    first += chunk.size();
  }
  return list;
}

/// Label of each node: its class or, with probability `noise`, a random class.
std::vector<std::int32_t> make_labels(const PlantedClasses& nodes, double noise,
                                      std::uint64_t seed) {
  std::vector<std::int32_t> labels(nodes.nodes());
  parallel_ranges(labels.size(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t v = begin; v < end; ++v) {
      Rng rng(seed, kLabels, 2 * v);
      const bool any = rng.uniform() < noise;
      labels[v] = static_cast<std::int32_t>(any ? hash_to_range(rng.next(), nodes.classes())
                                                : nodes.class_of(static_cast<NodeId>(v)));
    }
  });
  return labels;
}

std::vector<std::uint8_t> make_split(const GraphShape& shape, std::uint64_t seed) {
  const IdPermutation order(shape.nodes, hash_combine(seed, kSplit));
  std::vector<std::uint8_t> parts(shape.nodes);
  parallel_ranges(parts.size(), [&](std::size_t begin, std::size_t end, int) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::uint64_t place = order.forward(v);
      const Part part = place < shape.train                              ? Part::train
                        : place < shape.train + shape.valid              ? Part::valid
                        : place < shape.train + shape.valid + shape.test ? Part::test
                                                                         : Part::none;
      parts[v] = static_cast<std::uint8_t>(part);
    }
  });
  return parts;
}

/// The share of edges between nodes of equal labels.
double measured_homophily(const CsrView& graph, const std::vector<std::int32_t>& labels) {
  if (graph.num_edges() == 0) return 0;
  std::atomic<std::uint64_t> equal{0};
  parallel_ranges(graph.num_nodes(), [&](std::size_t begin, std::size_t end, int) {
    std::uint64_t n = 0;
    for (std::size_t v = begin; v < end; ++v) {
      for (const NodeId u : graph.row(static_cast<NodeId>(v))) n += labels[u] == labels[v];
    }
    equal += n;
  });
  return static_cast<double>(equal) / static_cast<double>(graph.num_edges());
}

Dtype feature_dtype(const std::string& name) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    std::string upper(name);
    for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    if (upper == dtype_name(dtype)) return dtype;
  }
  fail(ExitStatus::usage, "--feature-type is '", printable(name), "', expected f32, f16 or bf16");
}

void store(std::span<const float> row, Dtype dtype, std::byte* to) {
  if (dtype == Dtype::f32) {
    std::memcpy(to, row.data(), row.size_bytes());
    return;
  }
  for (const float x : row) {
    const std::uint16_t bits = dtype == Dtype::f16 ? to_float16(x).bits : to_bfloat16(x).bits;
    std::memcpy(to, &bits, sizeof bits);
    to += sizeof bits;
  }
}

FeatureFiller feature_filler(const ClassFeatures& features, const PlantedClasses& nodes,
                             Dtype dtype, const GenerateProgress& progress) {
  return [&features, &nodes, dtype, &progress](std::uint64_t begin, std::uint64_t end,
                                               std::span<std::byte> to) {
    const std::size_t row_bytes = features.dim() * item_size(dtype);
    std::vector<float> row(features.dim());
    for (std::uint64_t v = begin; v < end; ++v) {
      const auto node = static_cast<NodeId>(v);
      features.fill(node, nodes.class_of(node), row);
      store(row, dtype, to.data() + (v - begin) * row_bytes);
    }
    progress.rows(end, nodes.nodes());
  };
}

Metadata metadata_of(const GenerateOptions& o, const GraphShape& shape,
                     const GenerateResult& result) {
  Metadata metadata;
  metadata["generate.shape"] = shape.name;
  metadata["generate.model"] = shape.model == EdgeModel::rmat ? "rmat" : "sbm";
  metadata["generate.seed"] = std::to_string(o.seed);
  metadata["graph.homophily"] = format_number(result.homophily, 4);
  if (result.feature_accuracy > 0) {
    metadata["graph.feature_accuracy"] = format_number(result.feature_accuracy, 4);
  }
  append_history(metadata, o.history_entry);
  return metadata;
}

}  // namespace

GenerateResult generate(const GenerateOptions& options, const GenerateProgress& progress) {
  const GraphShape shape = shape_of(options);
  const Dtype dtype = feature_dtype(options.feature_type);
  const PlantedClasses nodes(shape.nodes, shape.classes, !options.ordered, options.seed);
  const ClassFeatures features(shape.classes, shape.features, shape.separation, options.seed);
  GenerateResult result;
  const Graph graph =
      build_graph(make_edges(options, shape, nodes, progress),
                  {.symmetrize = !shape.directed,
                   .dedupe = !options.duplicates,
                   .self_loops = options.duplicates ? SelfLoops::keep : SelfLoops::remove,
                   .edge_ids = options.edge_ids},
                  &result.built);
  result.nodes = shape.nodes;
  result.edges = graph.num_edges();
  result.directed = shape.directed;
  result.classes = shape.classes;
  const std::vector<std::int32_t> labels = make_labels(nodes, shape.label_noise, options.seed);
  const std::vector<std::uint8_t> parts = make_split(shape, options.seed);
  result.homophily = measured_homophily(graph.csr(), labels);

  GraphContent content;
  content.directed = shape.directed;
  content.edges = {edge_set_of(graph)};
  NodeSet& set = content.nodes.emplace_back();
  set.size = shape.nodes;
  if (shape.classes > 1) {
    set.labels = labels;
    set.num_classes = shape.classes;
    set.splits = {parts};
  }
  FeatureFiller fill;
  if (shape.features > 0) {
    const double right = features.best_accuracy();
    result.feature_accuracy =
        right * (1 - shape.label_noise) + shape.label_noise / static_cast<double>(shape.classes);
    set.features = FeatureView{dtype, nullptr, shape.nodes, shape.features, {}};
    fill = feature_filler(features, nodes, dtype, progress);
  }
  content.metadata = metadata_of(options, shape, result);
  if (options.times) content.metadata[kDatesKey] = "false";
  TensorWriteOptions output;
  save_graph(options.output, content, output, fill);
  return result;
}

}  // namespace frugal::gnn
