#include "libcore/graph/metis_partition.h"

#include <fcntl.h>
#include <metis.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <limits>
#include <new>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/graph/refine.h"
#include "libcore/system/restarted_calls.h"

namespace frugal {
namespace {

constexpr idx_t kCuts = 4;  ///< tries of each bisection, of which METIS keeps the best

/// Arrays as METIS reads them.
struct MetisGraph {
  std::vector<idx_t> offsets, neighbors, weights;
};

MetisGraph to_metis(const WeightedView& graph) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max());
  const std::uint64_t edges = graph.csr.num_edges(), weight = graph.weight();
  const std::size_t groups = graph.num_groups();
  if (std::max({edges, weight, std::uint64_t{graph.num_nodes()} * groups}) > kMost) {
    fail(ExitStatus::usage, "the graph has ", edges,
         " edges (both directions) and nodes of weight ", weight,
         groups == 1 ? "" : " in " + std::to_string(groups) + " types",
         ", but METIS, which makes multilevel parts, counts to ", kMost,
         groups == 1 ? "" : " and has a weight for each node and type",
         "; expected --method ldg for such a graph");
  }
  MetisGraph metis;
  metis.offsets.reserve(graph.num_nodes() + 1);
  metis.neighbors.reserve(std::max<std::uint64_t>(edges, 1));  // METIS takes no null
  metis.weights.resize(graph.num_nodes() * groups);
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    metis.weights[v * groups + graph.group(v)] = static_cast<idx_t>(graph.node_weights[v]);
  }
  metis.offsets.push_back(0);
  for (NodeId v = 0; v < graph.num_nodes(); ++v) {
    graph.for_each_edge(v, [&](NodeId u) { metis.neighbors.push_back(static_cast<idx_t>(u)); });
    metis.offsets.push_back(static_cast<idx_t>(metis.neighbors.size()));
  }
  return metis;
}

/// Largest weight of a part in each group, as a multiple of the mean. One above the number of parts
/// bounds nothing.
std::vector<real_t> bounds(const WeightedView& graph, std::span<const std::uint64_t> capacities,
                           const PartitionOptions& options) {
  const double parts = options.parts;
  if (graph.num_groups() == 1) {
    return {static_cast<real_t>(std::min<double>(options.imbalance, parts))};
  }
  std::vector<real_t> found;
  for (std::size_t g = 0; g < graph.num_groups(); ++g) {
    const auto weight = static_cast<double>(std::max<std::uint64_t>(1, graph.group_weights[g]));
    const double bound = static_cast<double>(capacities[g]) * parts / weight;
    found.push_back(static_cast<real_t>(std::clamp(bound, 1.001, std::max(parts, 1.001))));
  }
  return found;
}

/// Sends stdout to /dev/null while an object exists: METIS prints a remark there if a half has
/// fewer nodes than parts, which refine() repairs. The constructor fails (unavailable) without
/// descriptors.
class SilentStdout {
 public:
  SilentStdout() {
    std::fflush(stdout);
    const int nowhere = open_file("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) saved_ = restarted([] { return ::dup(STDOUT_FILENO); });
    if (saved_ >= 0) restarted([&] { return ::dup2(nowhere, STDOUT_FILENO); });
    if (nowhere >= 0) ::close(nowhere);
    if (saved_ < 0) fail(ExitStatus::unavailable, "cannot keep METIS from writing to stdout");
  }
  ~SilentStdout() {
    std::fflush(stdout);
    restarted([this] { return ::dup2(saved_, STDOUT_FILENO); });
    ::close(saved_);
  }
  SilentStdout(const SilentStdout&) = delete;
  SilentStdout& operator=(const SilentStdout&) = delete;

 private:
  int saved_ = -1;
};

/// METIS answers SIGTERM by returning; its caller is to end then as without METIS.
void check_status(int status) {
  if (status == METIS_OK) return;
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (status == METIS_ERROR) std::raise(SIGTERM);
  fail(ExitStatus::internal, "METIS refused a graph with status ", status);
}

}  // namespace

std::vector<NodeId> metis_partition(const WeightedView& graph,
                                    std::span<const std::uint64_t> capacities,
                                    const PartitionOptions& options) {
  std::vector<NodeId> parts(graph.num_nodes());
  if (options.parts == 1) return parts;
  std::vector<idx_t> found(graph.num_nodes());
  {
    MetisGraph metis = to_metis(graph);
    std::array<idx_t, METIS_NOPTIONS> settings{};
    METIS_SetDefaultOptions(settings.data());
    settings[METIS_OPTION_NUMBERING] = 0;
    settings[METIS_OPTION_SEED] = static_cast<idx_t>(mix64(options.seed) >> 33);
    settings[METIS_OPTION_NCUTS] = kCuts;
    idx_t nodes = static_cast<idx_t>(graph.num_nodes()), cut = 0;
    auto constraints = static_cast<idx_t>(graph.num_groups());
    auto count = static_cast<idx_t>(options.parts);
    std::vector<real_t> imbalance = bounds(graph, capacities, options);
    const SilentStdout silent;
    check_status(METIS_PartGraphRecursive(
        &nodes, &constraints, metis.offsets.data(), metis.neighbors.data(), metis.weights.data(),
        nullptr, nullptr, &count, nullptr, imbalance.data(), settings.data(), &cut, found.data()));
  }
  std::transform(found.begin(), found.end(), parts.begin(),
                 [](idx_t part) { return static_cast<NodeId>(part); });
  refine(graph, capacities, options.parts, parts);
  return parts;
}

}  // namespace frugal
