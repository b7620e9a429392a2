#include "tools/gnn-sample/inputs/hop_features.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>

#include "libcore/base/rng.h"
#include "libcore/kernels/mix32.h"
#include "libcore/threading/parallel.h"
#include "tests/support/text_file.h"

using namespace frugal;
using namespace frugal::gnn;

namespace {

constexpr std::size_t kHopNodes = 600, kHopFeatures = 70;  // more than a slab, and than a chunk

/// In-edges from any nodes, some nodes without, some to themselves.
Document hop_graph(bool sparse) {
  Rng rng(8);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> neighbors;
  for (std::uint32_t v = 0; v < kHopNodes; ++v) {
    for (std::uint32_t u = 0; v % 9 != 0 && u < kHopNodes; ++u) {
      if (rng.below(100) == 0 || (u == v && v % 5 == 0)) neighbors.push_back(u);
    }
    offsets.push_back(neighbors.size());
  }
  Tensor features = Tensor::make("features", Dtype::f32, {kHopNodes, kHopFeatures});
  for (float& x : features.as<float>()) {
    x = rng.below(10) == 0 ? static_cast<float>(rng.uniform(0.5, 2)) : 0;
  }
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(kHopNodes)},
                       {"graph.edges", std::to_string(neighbors.size())},
                       {"graph.directed", "true"}};
  auto& tensors = document.tensors;
  tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {neighbors.size()}, neighbors));
  std::vector<float> weights(neighbors.size());
  for (float& w : weights) w = rng.below(5) == 0 ? 0 : static_cast<float>(rng.uniform(0, 3));
  tensors.push_back(Tensor::copy_of<float>("weights", {weights.size()}, weights));
  if (!sparse) {
    tensors.push_back(std::move(features));
    return document;
  }
  const SparseRows rows = to_sparse(features);
  document.metadata["graph.features"] = std::to_string(kHopFeatures);
  tensors.push_back(
      Tensor::copy_of<std::uint64_t>("features.offsets", {rows.offsets.size()}, rows.offsets));
  tensors.push_back(
      Tensor::copy_of<std::uint32_t>("features.columns", {rows.columns.size()}, rows.columns));
  tensors.push_back(
      Tensor::copy_of<float>("features.values", {rows.columns.size()}, rows.floats()));
  return document;
}

/// The rows of features that are stored, as dense numbers.
std::vector<float> all_numbers(const FeatureView& view) {
  std::vector<float> all(view.rows * view.dim, 0);
  std::vector<float> room;
  for (std::size_t r = 0; r < view.rows; ++r) {
    float* const to = all.data() + r * view.dim;
    if (!view.sparse()) {
      std::copy_n(reinterpret_cast<const float*>(view.row(r)), view.dim, to);
      continue;
    }
    const float* const values = view.row_values(r, room);
    for (std::size_t i = 0; i < view.row_size(r); ++i) to[view.row_columns(r)[i]] = values[i];
  }
  return all;
}

using Matrix = std::vector<std::vector<double>>;

/// P x by its definition: the mean over the neighbours, or GCN's sum with the node itself, and for
/// personalised PageRank a tenth of the features. weights: of the edges; empty: all are 1.
Matrix propagated(const CsrView& csr, std::span<const float> weights, const Matrix& x,
                  const Matrix& features, HopOperator kind) {
  const auto weight_of = [&](EdgeId e) {
    return weights.empty() ? 1.0 : static_cast<double>(weights[e]);
  };
  std::vector<double> sums(x.size(), 0.0), own(x.size(), 1.0), all(x.size(), 0.0);
  for (std::size_t v = 0; v < x.size(); ++v) {
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const bool loop = csr.neighbors[e] == v;
      if (loop) own[v] = weight_of(e);
      sums[v] += loop ? 0 : weight_of(e);
      all[v] += weight_of(e);
    }
  }
  Matrix y(x.size(), std::vector<double>(x[0].size(), 0.0));
  for (std::size_t v = 0; v < x.size(); ++v) {
    const bool gcn = kind != HopOperator::row;
    const auto root = [&](std::size_t u) {
      return sums[u] + own[u] > 0 ? 1 / std::sqrt(sums[u] + own[u]) : 0;
    };
    const auto add = [&](std::size_t u, double weight) {
      for (std::size_t c = 0; c < y[v].size(); ++c) y[v][c] += weight * x[u][c];
    };
    if (gcn) add(v, own[v] * root(v) * root(v));
    for (EdgeId e = csr.offsets[v]; e < csr.offsets[v + 1]; ++e) {
      const NodeId u = csr.neighbors[e];
      if (!gcn && all[v] > 0) add(u, weight_of(e) / all[v]);
      if (gcn && u != v) add(u, weight_of(e) * root(v) * root(u));
    }
    if (kind != HopOperator::ppr) continue;
    for (std::size_t c = 0; c < y[v].size(); ++c) y[v][c] = 0.9 * y[v][c] + 0.1 * features[v][c];
  }
  return y;
}

GnnOptions hop_options(HopOperator kind) {
  GnnOptions options;
  options.kind = "sign";
  options.hops = 2;
  options.propagation = kind;
  return options;
}

/// Neither shifts nor scales.
HopScaling no_scaling() {
  const std::size_t columns = 3 * kHopFeatures;
  return {std::vector<float>(columns, 0), std::vector<float>(columns, 1)};
}

/// A graph file: edges to node v come from sources [offsets[v], offsets[v + 1]); sparse features.
Document sparse_graph(std::span<const std::uint64_t> offsets,
                      std::span<const std::uint32_t> sources, const SparseRows& features) {
  Document document;
  document.metadata = {{"frugal.kind", "graph"},
                       {"graph.nodes", std::to_string(offsets.size() - 1)},
                       {"graph.edges", std::to_string(sources.size())},
                       {"graph.directed", "true"},
                       {"graph.features", std::to_string(features.dim)}};
  auto& tensors = document.tensors;
  tensors.push_back(Tensor::copy_of<std::uint64_t>("offsets", {offsets.size()}, offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("neighbors", {sources.size()}, sources));
  tensors.push_back(
      Tensor::copy_of<std::uint64_t>("features.offsets", {offsets.size()}, features.offsets));
  tensors.push_back(Tensor::copy_of<std::uint32_t>("features.columns", {features.columns.size()},
                                                   features.columns));
  if (!features.values.empty()) {
    tensors.push_back(
        Tensor::copy_of<float>("features.values", {features.columns.size()}, features.floats()));
  }
  return document;
}

/// Leaves so many bytes to allocate, until its end.
class AddressSpace {
 public:
  explicit AddressSpace(std::uint64_t bytes) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    REQUIRE(getrlimit(RLIMIT_AS, &before_) == 0);
    const rlim_t wanted = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + bytes;
    const rlimit limit = {std::min(wanted, before_.rlim_max), before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_ = {};
};

/// Six nodes with 400 columns. Edges lead from nodes 0 to 3, which have 100 columns each, to node
/// 4, which has none, and from there to node 5. Numbers of column c have the magnitude max(c, 150).
class KeptNumbers {
 public:
  static constexpr std::uint32_t kNodes = 6, kSources = 4, kEach = 100, kKept = 256;
  static constexpr std::uint32_t kColumns = kSources * kEach, kEqual = 151;

  KeptNumbers() {
    SparseRows rows;
    rows.dim = kColumns;
    std::vector<float> values;
    for (std::uint32_t c = 0; c < kColumns; ++c) {
      values.push_back((c % 2 == 0 ? 1.0F : -1.0F) * static_cast<float>(std::max(c, kEqual - 1)));
      rows.columns.push_back(c);
      if ((c + 1) % kEach == 0) rows.offsets.push_back(c + 1);
    }
    rows.offsets.resize(kNodes + 1, kColumns);
    rows.values.resize(kColumns * sizeof(float));
    std::copy(values.begin(), values.end(), rows.floats().begin());
    write_document(file_.path(),
                   sparse_graph(std::vector<std::uint64_t>{0, 0, 0, 0, 0, kSources, kSources + 1},
                                std::vector<std::uint32_t>{0, 1, 2, 3, 4}, rows));
    graph_.emplace(file_.path());
  }

  /// The numbers of a node in each hop, [2 + 1][kColumns], and how many are stored.
  Matrix hops_of(std::size_t node, HopOperator kind, std::vector<std::size_t>& sizes) const {
    HopScaling scaling{std::vector<float>(3 * kColumns, 0), std::vector<float>(3 * kColumns, 1)};
    const FeatureStore store =
        make_hop_features(*graph_, hop_options(kind), Residence::memory, scaling);
    Matrix hops(3, std::vector<double>(kColumns, 0));
    sizes.assign(3, 0);
    std::vector<float> room;
    const FeatureView view = store.view();
    const float* const values = view.row_values(node, room);
    for (std::size_t i = 0; i < view.row_size(node); ++i) {
      const std::uint32_t column = view.row_columns(node)[i];
      hops[column / kColumns][column % kColumns] = static_cast<double>(values[i]);
      ++sizes[column / kColumns];
    }
    return hops;
  }
  const StoredGraph& graph() const { return *graph_; }

 private:
  TextFile file_{"", ".safetensors"};
  std::optional<StoredGraph> graph_;
};

}  // namespace

TEST_CASE("features of hops are powers of the matrix times the features, dense and sparse") {
  for (const int way : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
    const bool sparse = way % 2 == 1;
    GnnOptions options = hop_options(HopOperator(way / 2 % 3));
    options.edge_weights = way >= 6;
    CAPTURE(way);
    const TextFile file("", ".safetensors");
    write_document(file.path(), hop_graph(sparse));
    const StoredGraph graph(file.path());
    const std::vector<float> x = all_numbers(*graph.features());
    HopScaling scaling = no_scaling();
    const FeatureStore store = make_hop_features(graph, options, Residence::memory, scaling);
    REQUIRE(store.view().sparse() == sparse);
    REQUIRE(store.view().dim == 3 * kHopFeatures);
    const std::vector<float> got = all_numbers(store.view());
    Matrix want(kHopNodes);
    for (std::size_t v = 0; v < kHopNodes; ++v) {
      want[v].assign(x.begin() + static_cast<std::ptrdiff_t>(v * kHopFeatures),
                     x.begin() + static_cast<std::ptrdiff_t>((v + 1) * kHopFeatures));
    }
    const Matrix features = want;
    double worst = 0;
    for (std::size_t h = 0; h <= 2; ++h) {
      for (std::size_t v = 0; v < kHopNodes; ++v) {
        for (std::size_t c = 0; c < kHopFeatures; ++c) {
          const auto found = static_cast<double>(got[v * 3 * kHopFeatures + h * kHopFeatures + c]);
          worst = std::max(worst, std::abs(found - want[v][c]));
        }
      }
      const auto weights = options.edge_weights ? graph.weights() : std::span<const float>();
      want = propagated(graph.csr(), weights, want, features, options.propagation);
    }
    CHECK(worst < 2e-6);
  }
}

TEST_CASE("features of hops are the same to the bit for any number of threads and in a file") {
  for (const int way : {0, 1, 2, 3}) {
    const bool sparse = way % 2 == 1;
    const HopOperator kind = way < 2 ? HopOperator::symmetric : HopOperator::ppr;
    const TextFile file("", ".safetensors");
    write_document(file.path(), hop_graph(sparse));
    const StoredGraph graph(file.path());
    std::map<std::string, std::vector<float>> results;
    for (const Residence residence : {Residence::memory, Residence::mapped}) {
      for (const int threads : {1, 2, 8}) {
        set_num_threads(threads);
        HopScaling scaling;
        const FeatureStore store = make_hop_features(graph, hop_options(kind), residence, scaling);
        CHECK(store.in_file() == (!sparse && residence == Residence::mapped));
        std::vector<float> all = all_numbers(store.view());
        all.insert(all.end(), scaling.mean.begin(), scaling.mean.end());
        all.insert(all.end(), scaling.factor.begin(), scaling.factor.end());
        const auto& first = results.try_emplace("", all).first->second;
        CHECK(first == all);
      }
    }
    set_num_threads(0);
  }
}

TEST_CASE("features of hops are scaled to mean 0 and almost deviation 1, as stored models repeat") {
  const TextFile file("", ".safetensors");
  write_document(file.path(), hop_graph(false));
  const StoredGraph graph(file.path());
  const GnnOptions options = hop_options(HopOperator::row);
  HopScaling scaling;
  const FeatureStore store = make_hop_features(graph, options, Residence::memory, scaling);
  const std::vector<float> got = all_numbers(store.view());
  const std::size_t columns = 3 * kHopFeatures;
  for (const std::size_t c : {std::size_t{0}, kHopFeatures + 3, columns - 1}) {
    double sum = 0, squares = 0;
    for (std::size_t v = 0; v < kHopNodes; ++v) sum += static_cast<double>(got[v * columns + c]);
    for (std::size_t v = 0; v < kHopNodes; ++v) {
      squares += std::pow(static_cast<double>(got[v * columns + c]), 2);
    }
    const double deviation = std::sqrt(squares / double{kHopNodes});
    CHECK(std::abs(sum / double{kHopNodes}) < 1e-5);
    CHECK(deviation < 1);
    // A factor of 1 / 1.05 belongs to the feature itself.
    CHECK(deviation > (c < kHopFeatures ? 1 / 1.05 - 1e-3 : 0.7));
  }
  HopScaling again = scaling;
  CHECK(all_numbers(make_hop_features(graph, options, Residence::memory, again).view()) == got);
  CHECK(again.mean == scaling.mean);
}

TEST_CASE("sparse rows of a hop keep their 256 largest numbers") {
  const KeptNumbers numbers;
  constexpr std::size_t kColumns = KeptNumbers::kColumns, kKept = KeptNumbers::kKept;
  Matrix x(KeptNumbers::kNodes, std::vector<double>(kColumns, 0));
  const std::vector<float> stored = all_numbers(*numbers.graph().features());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    x[i / kColumns][i % kColumns] = static_cast<double>(stored[i]);
  }
  for (const HopOperator kind : {HopOperator::row, HopOperator::symmetric, HopOperator::ppr}) {
    const auto exact = propagated(numbers.graph().csr(), {}, x, x, kind)[4];
    std::vector<std::size_t> sizes;
    const auto kept = numbers.hops_of(4, kind, sizes)[1];
    CHECK(sizes[1] == kKept);
    double least = 1e9, most = 0;
    for (std::size_t c = 0; c < kColumns; ++c) {
      if (kept[c] == 0) most = std::max(most, std::abs(exact[c]));
      if (kept[c] != 0) least = std::min(least, std::abs(exact[c]));
      if (kept[c] != 0) CHECK(kept[c] == doctest::Approx(exact[c]));
    }
    CHECK(least > most - 1e-4);
  }
}

TEST_CASE(
    "hashes of columns decide which of equal numbers are kept, and the next hop reads these") {
  const KeptNumbers numbers;
  std::vector<std::size_t> sizes;
  const auto first = numbers.hops_of(4, HopOperator::row, sizes)[1];
  std::vector<std::uint32_t> equal(KeptNumbers::kEqual);
  std::iota(equal.begin(), equal.end(), 0U);
  std::sort(equal.begin(), equal.end(),
            [](std::uint32_t a, std::uint32_t b) { return mix32(a) < mix32(b); });
  // 249 numbers are larger, so 7 of these are kept.
  for (std::size_t i = 0; i < equal.size(); ++i) CHECK((first[equal[i]] != 0) == (i < 7));
  const auto second = numbers.hops_of(5, HopOperator::row, sizes);
  CHECK(sizes[1] == 0);
  CHECK(second[2] == first);
}

TEST_CASE("a hop of sparse features that cannot be in memory is refused before it is made") {
  // Each node has one edge, from node 0, which alone has features, and all of them.
  constexpr std::uint64_t kNodes = 300000, kColumns = 1 << 20;
  std::vector<std::uint64_t> offsets(kNodes + 1);
  std::iota(offsets.begin(), offsets.end(), 0U);
  SparseRows features;
  features.dim = kColumns;
  features.offsets.resize(kNodes + 1, kColumns);
  features.columns.resize(kColumns);
  std::iota(features.columns.begin(), features.columns.end(), 0U);
  const TextFile file("", ".safetensors");
  write_document(file.path(),
                 sparse_graph(offsets, std::vector<std::uint32_t>(kNodes, 0), features));
  const StoredGraph graph(file.path());
  HopScaling scaling;
  const AddressSpace limit(std::uint64_t{900} << 20);
  const std::string error = error_of(
      [&] { make_hop_features(graph, hop_options(HopOperator::row), Residence::memory, scaling); });
  CHECK(error.starts_with(
      "69 " + file.path() +
      ": hop 1 of sparse features (a model with --hops 0 does without) needs 1.1 GiB"));
}
