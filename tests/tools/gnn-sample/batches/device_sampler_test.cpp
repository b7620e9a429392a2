// Sampling on a device against the CPU's, bit for bit: on the plug-in whose CUDA kernels run here.
#include "tools/gnn-sample/batches/device_sampler.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "tests/libcore/device/every_order.h"
#include "tests/libcore/device/host_device.h"
#include "tests/support/sanitized.h"
#include "tests/support/text_file.h"
#include "tools/gnn-sample/data/graph_file.h"

using namespace frugal;
using namespace frugal::gnn;
using device_test::use_host_device;

namespace {

enum class GraphKind { hubs, isolated, timed };

/// A graph in a file: hubs, whose few long rows have zero weights and one heavy edge; isolated, of
/// which most nodes have no edges; timed, with weights above 0.
class SampledFile {
 public:
  explicit SampledFile(GraphKind shape) : file_("", ".safetensors") {
    const NodeId nodes = shape == GraphKind::hubs ? 400 : 130;
    Rng rng(static_cast<std::uint64_t>(shape) + 5);
    for (NodeId v = 0; v < nodes; ++v) add_row(shape, v, nodes, rng);
    GraphContent content;
    content.nodes.resize(1);
    content.nodes.front().size = nodes;
    content.edges.push_back({"", "", "", {offsets_, neighbors_}, weights_, times_, {}});
    save_graph(file_.path(), content);
    graph_.emplace(file_.path());
  }

  const StoredGraph& graph() const { return *graph_; }

 private:
  static std::uint64_t degree(GraphKind shape, NodeId v, Rng& rng) {
    if (shape == GraphKind::hubs) return v % 80 == 3 ? 900 + v : rng.below(12);
    if (shape == GraphKind::isolated) return v % 5 == 2 ? 1 + rng.below(3) : 0;
    return v % 9 == 4 ? 0 : rng.below(60);
  }
  void add_row(GraphKind shape, NodeId v, NodeId nodes, Rng& rng) {
    std::vector<NodeId> row;
    std::vector<double> times;
    for (std::uint64_t left = degree(shape, v, rng); left > 0; --left) {
      row.push_back(static_cast<NodeId>(rng.below(nodes)));
      times.push_back(static_cast<double>(rng.below(9)));
    }
    if (shape != GraphKind::timed) std::sort(row.begin(), row.end());
    std::sort(times.begin(), times.end());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto light = static_cast<float>(rng.uniform());
      const float heavy = i % 7 == 2 && shape == GraphKind::hubs ? 0 : light;
      weights_.push_back(i == 5 ? 1e6F : heavy);
    }
    neighbors_.insert(neighbors_.end(), row.begin(), row.end());
    if (shape == GraphKind::timed) times_.insert(times_.end(), times.begin(), times.end());
    offsets_.push_back(neighbors_.size());
  }

  TextFile file_;
  std::vector<EdgeId> offsets_ = {0};
  std::vector<NodeId> neighbors_;
  std::vector<float> weights_;
  std::vector<double> times_;
  std::optional<StoredGraph> graph_;
};

const StoredGraph& graph_of(GraphKind shape) {
  static const SampledFile files[] = {SampledFile(GraphKind::hubs),
                                      SampledFile(GraphKind::isolated),
                                      SampledFile(GraphKind::timed)};
  return files[static_cast<int>(shape)].graph();
}

struct SampleCase {
  std::string name, fanouts = "6,4,3", method = "uniform", semantics = "mfg", temporal = "none";
  bool replace = false, disjoint = false, edge_ids = true;
  bool hides = false;  ///< edges between seeds
  DeviceGraph place = DeviceGraph::device;
  std::uint64_t expected_edges = 1 << 12;

  SamplingOptions options() const {
    SamplingOptions o;
    o.fanouts = fanouts;
    o.method = method;
    o.semantics = semantics;
    o.temporal = temporal;
    o.replace = replace;
    o.disjoint = disjoint;
    o.edge_ids = edge_ids && method != "window";
    o.hide_seed_edges = hides;
    return o;
  }
};

constexpr std::uint32_t kMostSeeds = 90;

/// Seeds of batch after batch, of sizes that fall and rise; some repeat.
struct GivenSeeds {
  std::vector<NodeId> nodes;
  std::vector<double> times;
  std::vector<Link> hidden;
  std::uint64_t epoch = 0, number = 0;

  GivenSeeds(const StoredGraph& graph, const SampleCase& c, std::uint64_t number)
      : epoch(number / 3), number(number) {
    constexpr std::uint32_t kSizes[] = {7, kMostSeeds, 1, 40, 12};
    Rng rng(number + 77);
    for (std::uint32_t i = 0; i < kSizes[number % std::size(kSizes)]; ++i) {
      nodes.push_back(static_cast<NodeId>(rng.below(graph.num_nodes())));
      if (i % 6 == 5) nodes.back() = nodes[i / 2];
      if (c.temporal != "none") times.push_back(static_cast<double>(rng.below(11)) - 0.5);
    }
    for (const NodeId v : nodes) {
      if (!c.hides || graph.csr().degree(v) == 0) continue;
      for (int i = 0; i < 2; ++i) {
        const auto row = graph.csr().row(v);
        hidden.push_back({row[rng.below(row.size())], v});
      }
    }
  }
  SampleSeeds view() const { return {nodes, times, hidden}; }
};

template <class T>
bool equal(std::span<const T> a, std::span<const T> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// Whether two mini-batches are the same in all that documents are made of.
bool same(const MiniBatch& a, const MiniBatch& b) {
  bool same = a.num_nodes() == b.num_nodes() && a.num_edges() == b.num_edges() &&
              a.num_hops() == b.num_hops() && a.num_seeds() == b.num_seeds() &&
              equal(a.nodes(), b.nodes()) && equal(a.roots(), b.roots()) &&
              equal(a.seed_places(), b.seed_places()) && equal(a.seed_times(), b.seed_times());
  for (std::size_t h = 0; same && h < a.num_hops(); ++h) {
    const Block x = a.block(h), y = b.block(h);
    same = x.targets == y.targets && x.sources == y.sources && x.num_edges() == y.num_edges() &&
           equal(std::span(x.offsets, x.targets + 1), std::span(y.offsets, y.targets + 1)) &&
           (x.positions == nullptr) == (y.positions == nullptr);
    for (std::uint32_t t = 0; same && t < x.targets; ++t) same = equal(x.row(t), y.row(t));
    if (!same || x.positions == nullptr || x.targets == 0) continue;
    const std::uint32_t begin = x.offsets[0], end = x.offsets[x.targets];
    same = std::equal(x.positions + begin, x.positions + end, y.positions + begin);
  }
  return same;
}

SamplerFactory factory_of(const StoredGraph& graph, const SampleCase& c) {
  return {graph, c.options(), sampler_options(c.options(), kMostSeeds, 21)};
}

std::unique_ptr<DeviceSampler> device_sampler(const StoredGraph& graph,
                                              const SamplerFactory& factory, const SampleCase& c,
                                              const std::string& device = "cuda") {
  return make_device_sampler(graph, factory,
                             {device, "gnn-sample sample", c.place, c.expected_edges});
}

/// Batches, kDepth of them on their way, that are not the CPU's.
std::size_t count_others(const StoredGraph& graph, const SampleCase& c, std::uint64_t batches) {
  const SamplerFactory factory = factory_of(graph, c);
  const auto on_cpu = factory.make();
  const auto on_device = device_sampler(graph, factory, c);
  std::deque<GivenSeeds> waiting;
  MiniBatch expected, found;
  std::size_t others = 0;
  const auto fetch = [&] {
    const GivenSeeds& seeds = waiting.front();
    expected.epoch = found.epoch = seeds.epoch;
    expected.number = found.number = seeds.number;
    on_cpu->sample(seeds.view(), expected);
    on_device->fetch(seeds.view(), found);
    others += same(expected, found) ? 0 : 1;
    waiting.pop_front();
  };
  for (std::uint64_t number = 0; number < batches; ++number) {
    if (waiting.size() == DeviceSampler::kDepth) fetch();
    waiting.emplace_back(graph, c, number);
    on_device->submit(waiting.back().view(), waiting.back().epoch, number);
  }
  while (!waiting.empty()) fetch();
  return others;
}

std::vector<SampleCase> cases_of(GraphKind shape) {
  std::vector<SampleCase> cases = {
      {.name = "uniform"},
      {.name = "frontier", .semantics = "frontier"},
      {.name = "all, then some", .fanouts = "-1,2", .semantics = "frontier"},
      {.name = "more than a warp", .fanouts = "50,1,40"},
      {.name = "with a table", .fanouts = "300,2"},
      {.name = "one hop", .fanouts = "2", .edge_ids = false},
      {.name = "repeated", .replace = true},
      {.name = "repeated, all", .fanouts = "-1,3", .replace = true},
      {.name = "labor", .method = "labor"},
      {.name = "labor, more than a warp", .fanouts = "70,33", .method = "labor"},
      {.name = "window", .method = "window"},
      {.name = "weighted", .method = "weighted"},
      {.name = "weighted, many", .fanouts = "40,3", .method = "weighted"},
      {.name = "weighted, by clocks alone", .fanouts = "260,2", .method = "weighted"},
      {.name = "weighted, repeated", .method = "weighted", .replace = true},
      {.name = "weighted, repeated, all", .fanouts = "-1,4", .method = "weighted", .replace = true},
      {.name = "trees", .disjoint = true},
      {.name = "trees of new nodes", .semantics = "frontier", .disjoint = true},
      {.name = "hidden", .hides = true},
      {.name = "hidden, all, repeated", .fanouts = "-1,5", .replace = true, .hides = true},
      {.name = "pinned", .method = "weighted", .place = DeviceGraph::pinned},
      {.name = "window, pinned", .method = "window", .place = DeviceGraph::pinned},
      {.name = "no room at first", .fanouts = "9,7", .expected_edges = 1},
  };
  if (shape != GraphKind::timed) return cases;
  cases.push_back({.name = "temporal", .temporal = "uniform"});
  cases.push_back({.name = "temporal, repeated", .temporal = "uniform", .replace = true});
  cases.push_back({.name = "newest", .temporal = "last"});
  cases.push_back({.name = "newest, new nodes", .semantics = "frontier", .temporal = "last"});
  cases.push_back({.name = "temporal, pinned",
                   .temporal = "uniform",
                   .hides = true,
                   .place = DeviceGraph::pinned});
  return cases;
}

void check_cases(GraphKind shape) {
  use_host_device();
  for (const SampleCase& c : cases_of(shape)) {
    CAPTURE(c.name);
    device_test::in_every_order([&] { CHECK(count_others(graph_of(shape), c, 5) == 0); });
  }
}

}  // namespace

TEST_CASE("A device samples the CPU's mini-batches, of a graph with hubs") {
  check_cases(GraphKind::hubs);
}

TEST_CASE("A device samples the CPU's mini-batches, of a graph with isolated nodes") {
  check_cases(GraphKind::isolated);
}

TEST_CASE("A device samples the CPU's mini-batches, of a graph whose edges have times") {
  check_cases(GraphKind::timed);
}

TEST_CASE("A graph that finds no room on the device is pinned; a batch that finds none says so") {
  use_host_device();
  // The memory of a GPU is as large as it is; only the plug-in for tests takes a smaller one.
  if (std::getenv("FRUGAL_TEST_PLUGINS") != nullptr) return;
  const StoredGraph& graph = graph_of(GraphKind::hubs);
  SampleCase c{.name = "auto", .fanouts = "2", .place = DeviceGraph::automatic};
  c.expected_edges = 1;
  const auto error_with = [&](const char* memory, const std::string& device) {
    setenv("FRUGAL_HOST_CUDA_MEMORY", memory, 1);
    std::size_t others = 0;
    bool on_cpu = false;
    const std::string error = error_of([&] {
      const SamplerFactory factory = factory_of(graph, c);
      on_cpu = device_sampler(graph, factory, c, device) == nullptr;
      if (device != "auto") others = count_others(graph, c, 5);
    });
    unsetenv("FRUGAL_HOST_CUDA_MEMORY");
    CHECK(others == 0);
    CHECK(on_cpu == (device == "auto"));
    return error;
  };
  // Edges take 28 KB, the rest 17.
  CHECK(error_with("30000", "cuda") == "no error");
  c.place = DeviceGraph::device;
  CHECK(error_with("30000", "cuda").find("69 --device cuda: needs ") == 0);
  CHECK(error_with("30000", "auto") == "no error");
  CHECK(error_with("70000", "cuda") == "no error");
  c.fanouts = "-1,-1,-1";
  const std::string error = error_with("70000", "cuda");
  CHECK(error.find("69 device cuda:0") == 0);
  CHECK(error.find("out of memory") != std::string::npos);
}

TEST_CASE("Draws whose order hangs on the last bit of a logarithm are made by the CPU") {
  use_host_device();
  constexpr std::uint64_t kEdges = 20000, kDoubtful = 33732;  // that batch's clocks nearly tie
  const std::vector<EdgeId> offsets = {0, kEdges};
  const std::vector<NodeId> neighbors(kEdges);
  std::vector<float> weights;
  for (std::uint64_t i = 0; i < kEdges; ++i) weights.push_back(static_cast<float>(1 + i % 97));
  GraphContent content;
  content.nodes.resize(1);
  content.nodes.front().size = 1;
  content.edges.push_back({"", "", "", {offsets, neighbors}, weights, {}, {}});
  const TextFile file("", ".safetensors");
  save_graph(file.path(), content);
  const StoredGraph graph(file.path());
  const SampleCase c{.name = "doubtful", .fanouts = "10000", .method = "weighted"};
  const SamplerFactory factory = factory_of(graph, c);
  const auto on_device = device_sampler(graph, factory, c);
  const std::vector<NodeId> seeds = {0};
  for (const std::uint64_t number : {kDoubtful - 1, kDoubtful, kDoubtful + 1}) {
    if (kSanitized && number != kDoubtful) continue;
    MiniBatch expected, found;
    expected.number = found.number = number;
    factory.make()->sample(seeds, expected);
    on_device->submit({seeds, {}, {}}, 0, number);
    on_device->fetch({seeds, {}, {}}, found);
    CHECK(same(expected, found));
    CHECK(on_device->num_doubtful() == (number < kDoubtful ? 0 : 1));
  }
}
