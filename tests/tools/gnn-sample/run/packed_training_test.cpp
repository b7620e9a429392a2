#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "libcore/base/rng.h"
#include "libcore/threading/num_threads.h"
#include "tests/support/text_file.h"
#include "tools/gnn-sample/run/train.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kPackedNodes = 600, kPackedDim = 6;
/// 180 training nodes in mini-batches of 25: seven and an uneven last one.
constexpr std::size_t kPackedSteps = 8;

/// Adds random features of that type.
void add_features(Document& document, Dtype dtype) {
  Rng rng(12);
  auto& tensors = document.tensors;
  std::vector<float> numbers(kPackedNodes * kPackedDim);
  for (float& x : numbers) x = static_cast<float>(rng.uniform(-1, 1));
  const std::vector<std::uint64_t> shape = {kPackedNodes, kPackedDim};
  if (dtype == Dtype::f32) tensors.push_back(Tensor::copy_of<float>("features", shape, numbers));
  if (dtype == Dtype::bf16) {
    std::vector<BFloat16> halves;
    for (const float x : numbers) halves.push_back(to_bfloat16(x));
    tensors.push_back(Tensor::copy_of<BFloat16>("features", shape, halves));
  }
  if (dtype == Dtype::f16) {
    std::vector<Float16> halves;
    for (const float x : numbers) halves.push_back(to_float16(x));
    tensors.push_back(Tensor::copy_of<Float16>("features", shape, halves));
  }
  if (dtype == Dtype::i8) {
    std::vector<std::int8_t> bytes;
    for (const float x : numbers) bytes.push_back(static_cast<std::int8_t>(x * 127));
    tensors.push_back(Tensor::copy_of<std::int8_t>("features", shape, bytes));
    std::vector<float> scales;
    for (std::size_t v = 0; v < kPackedNodes; ++v) scales.push_back(0.01F + 0.001F * float(v % 7));
    tensors.push_back(Tensor::copy_of<float>("features.scale", {kPackedNodes}, scales));
  }
}

/// Random labels and edges, more of them from nodes of low numbers; nodes without edges, too.
Document trainable_graph(Dtype dtype) {
  Rng rng(11);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  for (std::size_t v = 0; v < kPackedNodes; ++v) {
    std::vector<std::uint32_t> row;
    for (std::size_t i = 0; v % 9 != 0 && i < 6; ++i) {
      row.push_back(static_cast<std::uint32_t>(rng.below(rng.below(kPackedNodes) + 1)));
    }
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    neighbors.insert(neighbors.end(), row.begin(), row.end());
    offsets.push_back(neighbors.size());
  }
  std::vector<std::int32_t> labels(kPackedNodes);
  std::vector<std::uint8_t> split(kPackedNodes);
  for (std::size_t v = 0; v < kPackedNodes; ++v) {
    labels[v] = static_cast<std::int32_t>(rng.below(3));
    split[v] = v % 10 < 3 ? 0 : v % 10 == 3 ? 1 : v % 10 == 4 ? 2 : 255;
  }
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kPackedNodes)},
                       {"graph.edges", std::to_string(neighbors.size())},
                       {"graph.directed", "true"},
                       {"graph.classes", "3"}};
  auto& tensors = document.tensors;
  tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {neighbors.size()}, neighbors));
  tensors.push_back(Tensor::copy_of<std::int32_t>("labels", {kPackedNodes}, labels));
  tensors.push_back(Tensor::copy_of<std::uint8_t>("split", {kPackedNodes}, split));
  add_features(document, dtype);
  return document;
}

struct Trained {
  TrainResult result;
  std::vector<std::vector<std::byte>> parameters;
};

Trained trained(TrainOptions options, Residence residence) {
  const TextFile model("", ".safetensors");
  options.model = model.path();
  options.residence = residence;
  Trained all{train(options, {}), {}};
  for (const Tensor& tensor : read_document(model.path()).tensors) {
    all.parameters.emplace_back(tensor.bytes.data(), tensor.bytes.data() + tensor.bytes.size());
  }
  return all;
}

TrainOptions small_training(const std::string& graph) {
  TrainOptions options;
  options.graph = graph;
  options.network.kind = "sage";
  options.network.hidden = 8;
  options.sampling.fanouts = "4,3";
  options.eval_fanouts = "4,3";
  options.batch_size = 25;
  options.epochs = 3;
  return options;
}

void check_same(const Trained& found, const Trained& expected) {
  CHECK(found.parameters == expected.parameters);
  CHECK(found.result.loss == expected.result.loss);
  CHECK(found.result.sampled_edges == expected.result.sampled_edges);
  CHECK(found.result.test->values == expected.result.test->values);
  CHECK(found.result.validation->values == expected.result.validation->values);
}

/// Trains with 50 rows in memory and 700 on disk.
void check_packed(TrainOptions options, std::uint64_t row_bytes, const Trained& expected) {
  options.packs = {50 * row_bytes, 700 * row_bytes};
  const Trained small = trained(options, Residence::packed);
  check_same(small, expected);
  const PackFigures& packs = *small.result.packs;
  CHECK(small.result.rows_in_memory == 50);
  CHECK(packs.windows > 3);  // they end inside epochs
  CHECK(packs.windows < 3 * kPackedSteps);
  CHECK(packs.bytes_written == packs.misses * row_bytes);
  CHECK(packs.bytes_written <= packs.windows * options.packs.disk);
  CHECK(packs.hits + packs.misses == small.result.sampled_nodes);
  CHECK(packs.hit_share() > 50.0 / kPackedNodes);  // the most frequent ones are in memory
  CHECK(packs.hit_share() < 0.9);
  CHECK(small.result.waiting_seconds >= packs.seconds);
}

}  // namespace

TEST_CASE("packed features train the same model as those in memory and in a mapped file") {
  const int threads = num_threads();
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::i8}) {
    CAPTURE(static_cast<int>(dtype));
    const TextFile graph("", ".safetensors");
    write_document(graph.path(), trainable_graph(dtype));
    TrainOptions options = small_training(graph.path());
    const Trained expected = trained(options, Residence::memory);
    // Rows of i8 become f32 in mini-batches of a mapped file, whose products round otherwise.
    if (dtype != Dtype::i8) check_same(trained(options, Residence::mapped), expected);
    for (const int n : {1, 3}) {
      set_num_threads(n);
      check_packed(options, kPackedDim * item_size(dtype), expected);
    }
    set_num_threads(threads);
  }
}

TEST_CASE("all rows fit into memory, or a window of one mini-batch exceeds its room") {
  const TextFile graph("", ".safetensors");
  write_document(graph.path(), trainable_graph(Dtype::f32));
  TrainOptions options = small_training(graph.path());
  options.accumulate = 3;
  options.steps = 7;
  const Trained expected = trained(options, Residence::memory);
  const Trained all = trained(options, Residence::packed);
  check_same(all, expected);
  CHECK(all.result.rows_in_memory == kPackedNodes);  // also those that no mini-batch needs
  CHECK(all.result.packs->misses == 0);
  CHECK(all.result.packs->bytes_written == 0);
  CHECK(all.result.packs->windows == 1);
  options.packs = {1, 1};
  const Trained none = trained(options, Residence::packed);
  check_same(none, expected);
  CHECK(none.result.rows_in_memory == 0);
  CHECK(none.result.packs->hits == 0);
  CHECK(none.result.packs->windows == 19);  // two epochs of 8 mini-batches, and a step of 3
}

TEST_CASE("packed features serve links, exact inference and neighbourhoods of nodes that repeat") {
  const TextFile graph("", ".safetensors");
  write_document(graph.path(), trainable_graph(Dtype::f32));
  TrainOptions options = small_training(graph.path());
  options.packs = {100, 500 * kPackedDim * sizeof(float)};
  options.epochs = 1;
  options.eval_fanouts = "";
  check_same(trained(options, Residence::packed), trained(options, Residence::memory));
  options.task = "links";
  options.links.embedding = 4;
  const Trained links = trained(options, Residence::packed);
  check_same(links, trained(options, Residence::memory));
  CHECK(links.result.packs->misses > 0);
  CHECK(links.result.packs->windows > 1);
}
