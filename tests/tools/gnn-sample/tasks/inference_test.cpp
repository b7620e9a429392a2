#include "tools/gnn-sample/tasks/inference.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/rng.h"
#include "libcore/embedding/embedding_methods.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tools/gnn-sample/inputs/hop_features.h"
#include "tools/gnn-sample/parts/node_owners.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kNodes = 700, kFeatures = 6, kOutputs = 3, kEdgeDim = 2;

/// In-edges from any nodes, some nodes without and some to themselves; of a weight, some of 0.
Document random_graph() {
  Rng rng(4);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  for (std::size_t v = 0; v < kNodes; ++v) {
    for (std::uint32_t u = 0; v % 7 != 0 && u < kNodes; ++u) {
      if (rng.below(100) == 0 || (u == v && v % 50 == 1)) neighbors.push_back(u);
    }
    offsets.push_back(neighbors.size());
  }
  std::vector<float> features(kNodes * kFeatures);
  for (float& x : features) x = static_cast<float>(rng.uniform(-1, 1));
  std::vector<float> weights(neighbors.size());
  for (float& w : weights) w = rng.below(5) == 0 ? 0 : static_cast<float>(rng.uniform(0, 3));
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kNodes)},
                       {"graph.edges", std::to_string(neighbors.size())},
                       {"graph.directed", "true"}};
  auto& tensors = document.tensors;
  tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {neighbors.size()}, neighbors));
  tensors.push_back(Tensor::copy_of<float>("weights", {weights.size()}, weights));
  std::vector<float> rows(neighbors.size() * kEdgeDim);
  for (float& x : rows) x = static_cast<float>(rng.uniform(-1, 1));
  tensors.push_back(Tensor::copy_of<float>("edge_features", {neighbors.size(), kEdgeDim}, rows));
  tensors.push_back(Tensor::copy_of<float>("features", {kNodes, kFeatures}, features));
  return document;
}

std::vector<GnnOptions> models() {
  std::vector<GnnOptions> all;
  for (const std::string kind : {"sage", "gcn", "gat", "gin", "sage-ri"}) {
    GnnOptions& options = all.emplace_back();
    options.kind = kind;
    options.hidden = 8;
    options.norm = kind != "gcn" ? NormKind::batch : NormKind::none;
    options.heads = kind == "gat" ? 2 : 1;
    options.head_layers = kind == "gin" ? 2 : 0;
  }
  all.push_back(all.front());
  all.back().aggregate = SageAggregate::max;
  for (const std::size_t like : {0U, 2U, 3U}) {  // sage, gat, gin
    GnnOptions& options = all.emplace_back(all[like]);
    options.norm = NormKind::layer;
    options.residual = true;
    options.jumping = like == 2 ? Jumping::concat : Jumping::sum;
    options.head_layers = 1;
  }
  for (const std::size_t like : {0U, 1U, 3U, 4U}) {  // sage, gcn, gin, sage-ri
    all.emplace_back(all[like]).edge_weights = true;
  }
  for (const std::size_t like : {0U, 1U, 3U, 4U}) {
    all.emplace_back(all[like]).weighted_fanouts = "-1,-1,-1";
    all.emplace_back(all[like]).weighted_fanouts = "1,2,3";
  }
  GnnOptions& gine = all.emplace_back(all[3]);  // as gin
  gine.kind = "gine";
  gine.edge_dim = kEdgeDim;
  GnnOptions& gatv2 = all.emplace_back(all[2]);  // as gat
  gatv2.kind = "gatv2";
  gatv2.output_heads = 2;
  return all;
}

std::vector<float> outputs_of(Inference& inference, const GnnModel& model,
                              std::span<const NodeId> nodes) {
  std::vector<float> all;
  inference.run(model, nodes, [&](std::size_t first, MatrixView<const float> rows) {
    CHECK(first * kOutputs == all.size());
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const auto row = rows.row_span(r);
      all.insert(all.end(), row.begin(), row.end());
    }
  });
  return all;
}

/// The outputs of all nodes, the last first.
std::vector<float> outputs(const StoredGraph& graph, const GnnModel& model,
                           const InferenceOptions& options) {
  std::vector<NodeId> nodes;
  for (std::size_t v = kNodes; v-- > 0;) nodes.push_back(static_cast<NodeId>(v));
  nodes.push_back(5);
  Inference inference(graph, options);
  return outputs_of(inference, model, nodes);
}

/// Outputs of exact inference with so many bytes of memory.
std::vector<float> outputs(const StoredGraph& graph, const GnnModel& model, std::uint64_t memory) {
  InferenceOptions options;
  options.memory = memory;
  options.chunk_edges = 50;
  return outputs(graph, model, options);
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    largest = worse(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

}  // namespace

TEST_CASE("exact inference some nodes at a time says what the whole graph at once does") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  const StoredGraph graph(file.path());
  for (const GnnOptions& options : models()) {
    CAPTURE(options.kind);
    GnnModel model(options, kFeatures, kOutputs);
    model.randomize(2);
    const std::vector<float> whole = outputs(graph, model, 0);
    // Of a node: the outputs of two layers, and one more.
    const std::uint64_t numbers = 2 * options.hidden * options.heads + 1;
    const std::uint64_t joined = model.joins_blocks() ? JoinedRows::bytes(model, kNodes + 1) : 0;
    const std::uint64_t floats = kNodes * numbers * sizeof(float) + joined;
    CHECK(whole.size() == (kNodes + 1) * kOutputs);
    CHECK(largest_difference(whole, outputs(graph, model, floats)) < 1e-6);
    const double rounded = largest_difference(whole, outputs(graph, model, floats - 1));
    CHECK(rounded > 0);
    CHECK(rounded < 0.05);
    CHECK(error_of([&] {
            outputs(graph, model, 1000);
          }).starts_with("69 " + file.path() + ": exact inference takes "));
  }
}

TEST_CASE("exact inference of a few nodes says what that of all nodes does") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  const StoredGraph graph(file.path());
  std::vector<NodeId> all(kNodes);
  for (std::size_t v = 0; v < kNodes; ++v) all[v] = static_cast<NodeId>(v);
  const std::vector<NodeId> few = {3, 0, 699, 3, 7, 350}, none;
  for (const GnnOptions& options : models()) {
    CAPTURE(options.kind);
    GnnModel model(options, kFeatures, kOutputs);
    model.randomize(2);
    Inference inference(graph, {});
    const std::vector<float> of_few = outputs_of(inference, model, few);
    const std::vector<float> of_all = outputs_of(inference, model, all);
    std::vector<float> expected;
    for (const NodeId v : few) {
      expected.insert(expected.end(), of_all.begin() + v * std::ptrdiff_t{kOutputs},
                      of_all.begin() + (v + 1) * std::ptrdiff_t{kOutputs});
    }
    CHECK(largest_difference(of_few, expected) < 1e-6);
    CHECK(outputs_of(inference, model, few) == of_few);
    CHECK(outputs_of(inference, model, std::span(all).first(2)).size() == 2 * kOutputs);
    CHECK(outputs_of(inference, model, none).empty());
    InferenceOptions short_of_memory;
    short_of_memory.memory = kNodes * (2 * options.hidden * options.heads + 1) * sizeof(float) +
                             (model.joins_blocks() ? JoinedRows::bytes(model, few.size()) : 0);
    Inference by_layers(graph, short_of_memory);
    CHECK(largest_difference(outputs_of(by_layers, model, few), expected) < 1e-6);
  }
}

TEST_CASE("mini-batches of all neighbours say what exact inference does, with weights too") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  const StoredGraph graph(file.path());
  InferenceOptions sampled;
  sampled.fanouts = "-1,-1,-1";
  sampled.batch_size = 64;
  for (const GnnOptions& options : models()) {
    CAPTURE(options.kind);
    CAPTURE(options.edge_weights);
    CAPTURE(options.weighted_fanouts);
    if (options.weighted_fanouts == "1,2,3") continue;  // exact outputs are of no single draw
    GnnModel model(options, kFeatures, kOutputs);
    model.randomize(2);
    const std::vector<float> exact = outputs(graph, model, 0);
    CHECK(largest_difference(outputs(graph, model, sampled), exact) < 1e-5);
  }
}

TEST_CASE("exact inference after draws by weight says what drawn mini-batches do on average") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  const StoredGraph graph(file.path());
  for (const std::string kind : {"sage", "gcn"}) {
    CAPTURE(kind);
    GnnOptions options;
    options.kind = kind;
    options.num_layers = 1;
    options.weighted_fanouts = "2";
    GnnModel model(options, kFeatures, kOutputs);
    model.randomize(2);
    const std::vector<float> exact = outputs(graph, model, 0);
    GnnOptions unweighted = options;
    unweighted.weighted_fanouts = "";
    GnnModel same(unweighted, kFeatures, kOutputs);
    same.randomize(2);
    const std::vector<float> alike = outputs(graph, same, 0);
    std::vector<double> sums(exact.size());
    constexpr std::size_t kTimes = 400;
    for (std::size_t i = 0; i < kTimes; ++i) {
      InferenceOptions drawn;
      drawn.fanouts = "2";
      drawn.seed = i;
      const std::vector<float> one = outputs(graph, model, drawn);
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += static_cast<double>(one[j]);
    }
    double error = 0, error_of_alike = 0, size = 0;
    for (std::size_t j = 0; j < sums.size(); ++j) {
      error += std::abs(sums[j] / kTimes - static_cast<double>(exact[j]));
      error_of_alike += std::abs(sums[j] / kTimes - static_cast<double>(alike[j]));
      size += std::abs(static_cast<double>(exact[j]));
    }
    CHECK(error / size < 0.06);
    CHECK(error < error_of_alike / 4);
  }
}

namespace {

/// True if exact inference with memory for so many numbers in all makes chunks of nodes.
bool makes_chunks_with_total(const StoredGraph& graph, const GnnModel& model,
                             std::uint64_t numbers) {
  InferenceOptions options;
  options.memory = numbers * sizeof(float);
  std::vector<NodeId> all(kNodes);
  std::iota(all.begin(), all.end(), NodeId{0});
  std::size_t most = 0;
  Inference(graph, options).run(model, all, [&](std::size_t, MatrixView<const float> rows) {
    most = std::max(most, rows.rows);
  });
  return most > 1;
}

/// True if exact inference with memory for so many numbers a node makes chunks of nodes.
bool makes_chunks_with_per_node(const StoredGraph& graph, const GnnModel& model,
                                std::uint64_t numbers) {
  return makes_chunks_with_total(graph, model, kNodes * numbers);
}

}  // namespace

TEST_CASE("exact inference of hops says what mini-batches do, and counts the rows of each hop") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  for (const std::size_t head_layers : {1U, 0U}) {
    GnnOptions options;
    options.kind = "sagn";
    options.num_layers = 1;
    options.hidden = 8;
    options.head_layers = head_layers;
    (head_layers == 1 ? options.heads : options.output_heads) = 16;
    StoredGraph graph(file.path());
    HopScaling scaling;
    replace_by_hops(graph, options, Residence::memory, scaling);
    GnnModel model(options, kFeatures, kOutputs);
    model.randomize(2);
    const std::vector<float> whole = outputs(graph, model, 0);
    CHECK(whole.size() == (kNodes + 1) * kOutputs);
    InferenceOptions sampled;
    sampled.fanouts = "1";
    sampled.batch_size = 64;
    CHECK(largest_difference(outputs(graph, model, sampled), whole) < 1e-6);
    const std::uint64_t rows = (options.hops + 1) * 16 * (head_layers == 1 ? 8 : kOutputs);
    CHECK(largest_difference(outputs(graph, model, kNodes * rows * sizeof(float)), whole) < 1e-6);
    CHECK(makes_chunks_with_per_node(graph, model, rows));
    CHECK(!makes_chunks_with_per_node(graph, model, 4 * rows));
  }
}

TEST_CASE("exact inference of attention among hops says what mini-batches do, in any chunks") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  GnnOptions options;
  options.kind = "hoga";
  options.num_layers = 1;
  options.head_layers = 4;
  options.hidden = 8;
  options.heads = 2;
  StoredGraph graph(file.path());
  HopScaling scaling;
  replace_by_hops(graph, options, Residence::memory, scaling);
  GnnModel model(options, kFeatures, kOutputs);
  model.randomize(2);
  const std::vector<float> whole = outputs(graph, model, 0);
  CHECK(whole.size() == (kNodes + 1) * kOutputs);
  InferenceOptions sampled;
  sampled.fanouts = "1";
  sampled.batch_size = 64;
  CHECK(largest_difference(outputs(graph, model, sampled), whole) < 1e-6);
  // Rows of hops are working memory of a thread. Those of the outputs of all layers are stored.
  const std::uint64_t rows = 8 * 2 + 3 * 8 + kOutputs;
  CHECK(largest_difference(outputs(graph, model, kNodes * rows / 2 * sizeof(float)), whole) < 1e-6);
  CHECK(makes_chunks_with_per_node(graph, model, rows - 1));
  CHECK(!makes_chunks_with_per_node(graph, model, rows));
}

TEST_CASE("sparse features that attention among hops divides count as memory that is taken") {
  Document document = random_graph();
  std::erase_if(document.tensors, [](const Tensor& tensor) { return tensor.name == "features"; });
  std::vector<std::uint64_t> offsets(kNodes + 1);
  std::iota(offsets.begin(), offsets.end(), 0U);
  std::vector<std::uint32_t> columns(kNodes);
  for (std::uint32_t v = 0; v < kNodes; ++v) columns[v] = v % kFeatures;
  document.metadata["graph.features"] = std::to_string(kFeatures);
  auto& tensors = document.tensors;
  tensors.push_back(Tensor::copy_of<std::uint64_t>("features.offsets", {kNodes + 1}, offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("features.columns", {kNodes}, columns));
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  GnnOptions options;
  options.kind = "hoga";
  options.num_layers = options.head_layers = 1;
  options.hidden = 8;
  StoredGraph graph(file.path());
  HopScaling scaling;
  replace_by_hops(graph, options, Residence::memory, scaling);
  REQUIRE(graph.features()->sparse());
  GnnModel model(options, kFeatures, kOutputs);
  model.randomize(2);
  // Outputs and products of a node, an offset of 8 bytes for each of its hops, and a column and a
  // value for each number of these.
  const std::uint64_t numbers =
      kNodes * (8 + kOutputs + 8 + 2 * (options.hops + 1)) + 2 * graph.features()->size();
  CHECK(makes_chunks_with_total(graph, model, numbers - 1));
  CHECK(!makes_chunks_with_total(graph, model, numbers));
}

TEST_CASE("rows of all dense layers count as memory that is taken") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  const StoredGraph graph(file.path());
  for (const char* kind : {"sage", "gcn", "gin"}) {
    CAPTURE(std::string(kind));
    GnnOptions options;
    options.kind = kind;
    options.num_layers = 2;
    options.hidden = 256;
    options.head_layers = 16;
    GnnModel model(options, kFeatures, kOutputs);
    model.randomize(2);
    CHECK(makes_chunks_with_per_node(graph, model, 256 * 17));
    CHECK(!makes_chunks_with_per_node(graph, model, 256 * 20));
  }
}

TEST_CASE("rows of the heads of the last layer count as memory that is taken") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  const StoredGraph graph(file.path());
  for (const char* kind : {"gat", "gatv2"}) {
    CAPTURE(std::string(kind));
    GnnOptions options;
    options.kind = kind;
    options.num_layers = 2;
    options.hidden = 1;
    options.output_heads = 64;
    GnnModel model(options, kFeatures, 64);
    model.randomize(2);
    CHECK(makes_chunks_with_per_node(graph, model, 64 * 64));
    CHECK(!makes_chunks_with_per_node(graph, model, 4 * 64 * 64));
  }
}

TEST_CASE("ranks share sampled inference, each with a part of the features, to the same bits") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), random_graph());
  GnnModel model(models().front(), kFeatures, kOutputs);
  model.randomize(2);
  InferenceOptions options;
  options.fanouts = "4,3,2";
  options.batch_size = 64;
  const std::vector<float> alone = outputs(StoredGraph(file.path()), model, options);
  CHECK(alone.size() == (kNodes + 1) * kOutputs);
  for (const int n : {2, 3}) {
    std::vector<std::vector<float>> found(static_cast<std::size_t>(n));
    ThreadRanks(n).run([&](Communicator& ranks) {
      const StoredGraph graph(file.path(), Residence::automatic, FeaturePlace::in_file);
      const auto me = static_cast<std::uint32_t>(ranks.rank());
      const auto owners = even_owners(kNodes, static_cast<std::uint32_t>(n));
      const KeptRows kept(graph, owners, me, {});
      InferenceOptions of_rank = options;
      of_rank.ranks = &ranks;
      of_rank.kept = &kept;
      found[me] = outputs(graph, model, of_rank);
    });
    for (const std::vector<float>& each : found) CHECK(each == alone);
  }
}

TEST_CASE("rows that are joined with features count as memory that is taken") {
  constexpr std::size_t kWide = 400;
  Document document = random_graph();
  document.tensors.pop_back();
  document.tensors.push_back(Tensor::make("features", Dtype::f32, {kNodes, kWide}));
  document.tensors.back().as<float>()[0] = 1;
  const TextFile file("", ".safetensors");
  write_document(file.path(), document);
  GnnOptions options;
  options.kind = "sage-ri";
  options.hidden = 8;
  GnnModel model(options, kWide, kOutputs);
  CHECK(error_of([&] {
          outputs(StoredGraph(file.path()), model, kNodes * (kWide - 1) * sizeof(float));
        }).starts_with("69 " + file.path() + ": exact inference takes "));
}

TEST_CASE("features that are looked up in an array are the rows that it stands for") {
  EmbeddingOptions small;
  small.compression = 3;
  const auto array = make_embedding(TableSet({{"features", kNodes}}, kFeatures), small, {});
  std::vector<NodeId> all(kNodes);
  for (std::size_t v = 0; v < kNodes; ++v) all[v] = static_cast<NodeId>(v);
  Document rows = random_graph(), looked_up = random_graph();
  array->lookup_table(0, all.data(), kNodes,
                      {rows.at("features").as<float>().data(), kNodes, kFeatures});
  looked_up.tensors.pop_back();
  array->save(looked_up);
  const TextFile dense("", ".safetensors"), hashed("", ".safetensors");
  write_document(dense.path(), rows);
  write_document(hashed.path(), looked_up);
  const StoredGraph graph(dense.path()), small_graph(hashed.path());
  for (GnnOptions options : models()) {
    CAPTURE(options.kind);
    for (const std::size_t layers : {1U, 2U}) {
      options.num_layers = layers;
      GnnModel model(options, kFeatures, kOutputs);
      model.randomize(2);
      const std::uint64_t joined = model.joins_blocks() ? JoinedRows::bytes(model, kNodes + 1) : 0;
      const std::uint64_t some = kNodes * (options.hidden * options.heads + 1) * sizeof(float);
      for (const std::uint64_t memory : {std::uint64_t{0}, some + joined}) {
        CHECK(outputs(small_graph, model, memory) == outputs(graph, model, memory));
      }
    }
  }
}
