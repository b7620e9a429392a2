#include "tools/gnn-sample/batches/packed_batches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/system/temporary_file.h"
#include "tests/support/text_file.h"
#include "tools/gnn-sample/batches/seed_batches.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kRingNodes = 400, kRingDim = 3, kRingRow = kRingDim * sizeof(float);
constexpr std::uint64_t kPerEpoch = 40;

/// Each node has edges to the next two, and its number in its features.
Document ring_graph() {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  std::vector<float> features;
  for (std::size_t v = 0; v < kRingNodes; ++v) {
    std::array<std::uint32_t, 2> next{};
    for (std::size_t i = 0; i < 2; ++i)
      next[i] = static_cast<std::uint32_t>((v + i + 1) % kRingNodes);
    neighbors.push_back(std::min(next[0], next[1]));
    neighbors.push_back(std::max(next[0], next[1]));
    offsets.push_back(neighbors.size());
    features.insert(features.end(), kRingDim, static_cast<float>(v));
  }
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kRingNodes)},
                       {"graph.edges", std::to_string(neighbors.size())},
                       {"graph.directed", "true"}};
  auto& tensors = document.tensors;
  tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {neighbors.size()}, neighbors));
  tensors.push_back(Tensor::copy_of<float>("features", {kRingNodes, kRingDim}, features));
  return document;
}

/// Packed mini-batches of ten nodes of the ring, for a thousand epochs.
class RingBatches {
 public:
  explicit RingBatches(PackLimits limits, std::function<bool()> stops = {},
                       std::uint64_t layer_bytes = 0)
      : graph_(written(file_), Residence::packed), maker_(graph_, setup()), seeds_(all(), order()) {
    frequent_.limits = limits;
    frequent_.layer_bytes = layer_bytes;
    PackedBatches::Source source;
    source.produce = [this](TrainBatch& batch) {
      ++num_produced_;
      return seeds_.next(batch.links.seeds);
    };
    source.complete = [](TrainBatch&) {};
    source.batches = seeds_.left();
    source.per_epoch = seeds_.per_epoch();
    source.stops = std::move(stops);
    packed_.emplace(graph_, maker_, std::move(source), frequent_);
  }
  PackedBatches& operator*() { return *packed_; }
  std::uint64_t num_produced() const { return num_produced_; }
  const FrequentRows& frequent() const { return frequent_; }

 private:
  static std::string written(const TextFile& file) {
    write_document(file.path(), ring_graph());
    return file.path();
  }
  static BatchMaker::Setup setup() {
    BatchMaker::Setup setup;
    setup.sampling.fanouts = "2,1";
    setup.max_seeds = 10;
    setup.labels = false;
    return setup;
  }
  static std::vector<NodeId> all() {
    std::vector<NodeId> nodes(kRingNodes);
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
    return nodes;
  }
  static SeedBatchOptions order() {
    SeedBatchOptions order;
    order.batch_size = 10;
    order.epochs = 1000;
    return order;
  }

  TextFile file_{"", ".safetensors"};
  StoredGraph graph_;
  BatchMaker maker_;
  SeedBatches seeds_;
  FrequentRows frequent_;
  std::uint64_t num_produced_ = 0;
  std::optional<PackedBatches> packed_;
};

/// Open files without a name in the folder for temporary files.
std::size_t open_packs() {
  std::size_t count = 0;
  for (const auto& link : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string to = std::filesystem::read_symlink(link, error).string();
    if (to.starts_with(temporary_folder()) && to.ends_with("(deleted)")) ++count;
  }
  return count;
}

/// The features of the mini-batch are those of its nodes.
void check_rows(const TrainBatch& batch) {
  const auto nodes = batch.sample.nodes();
  const auto* const rows = reinterpret_cast<const float*>(batch.gathered.rows.data());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    CHECK(rows[i * kRingDim] == static_cast<float>(nodes[i]));
  }
}

}  // namespace

TEST_CASE("a window has the mini-batches of an epoch at most") {
  RingBatches some({350 * kRingRow, 1 << 20});
  TrainBatch batch;
  REQUIRE((*some).next(batch));
  CHECK(some.num_produced() == kPerEpoch);
  RingBatches all({kRingNodes * kRingRow, 0});
  REQUIRE((*all).next(batch));
  CHECK(all.num_produced() < kPerEpoch);  // as many as are drawn at once
  CHECK(all.frequent().rows->num_cached() == kRingNodes);
  for (std::uint64_t i = 1; i < 3 * kPerEpoch; ++i) REQUIRE((*all).next(batch));
  CHECK(all.num_produced() == 3 * kPerEpoch);
  CHECK((*all).figures().windows == 1);
}

TEST_CASE("mini-batches that were made keep no packs open") {
  const std::size_t before = open_packs();
  RingBatches small({kRingRow, kRingRow});  // a window for each mini-batch
  std::vector<TrainBatch> batches(5);
  for (TrainBatch& batch : batches) {
    REQUIRE((*small).next(batch));
    CHECK(open_packs() == before + 1);
    (*small).make(batch);
    check_rows(batch);
    CHECK(open_packs() == before);
  }
  CHECK((*small).figures().windows == 5);
}

TEST_CASE("a mini-batch that is not the packed one is noticed") {
  RingBatches small({kRingRow, 1 << 20});
  TrainBatch batch;
  REQUIRE((*small).next(batch));
  batch.links.seeds.nodes.pop_back();
  CHECK_THROWS_WITH_AS((*small).make(batch), "a mini-batch has other nodes than when it was packed",
                       Error);
}

TEST_CASE("drawing, keeping and packing end when they must") {
  for (const int calls : {1, 20, 41, 42}) {
    CAPTURE(calls);
    std::atomic<int> left = calls;
    RingBatches small({100 * kRingRow, 1 << 20}, [&] { return --left <= 0; });
    TrainBatch batch;
    CHECK_THROWS_AS((*small).next(batch), PackingStopped);
    CHECK(small.frequent().rows.has_value() == (calls == 42));
    CHECK(open_packs() == 0);
  }
}

TEST_CASE("reading rows to keep them counts") {
  RingBatches all({kRingNodes * kRingRow, 0});
  TrainBatch batch;
  REQUIRE((*all).next(batch));
  CHECK((*all).figures().bytes_read == kRingNodes * kRingRow);
}

TEST_CASE("mini-batches and layers that exceed memory are refused before they are prepared") {
  setenv("SLURM_MEM_PER_NODE", "1", 1);
  for (const std::uint64_t layer_bytes : {std::uint64_t{0}, std::uint64_t{1} << 20}) {
    RingBatches small({0, 1 << 20}, {}, layer_bytes);
    TrainBatch batch;
    if (layer_bytes == 0) {
      CHECK_NOTHROW((*small).next(batch));
    } else {
      CHECK_THROWS_AS((*small).next(batch), Error);
    }
  }
  unsetenv("SLURM_MEM_PER_NODE");
}
