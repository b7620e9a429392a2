#include "tools/gnn-sample/sampling_options.h"

#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/line_reader.h"
#include "libcore/system/limits.h"

namespace frugal {
namespace {

struct NamedPart {
  std::string_view name;
  Part part;
};
constexpr NamedPart kParts[] = {
    {"train", Part::train}, {"valid", Part::valid}, {"test", Part::test}};

std::vector<NodeId> labelled_nodes(const StoredGraph& graph) {
  std::vector<NodeId> nodes;
  const std::span<const std::int32_t> labels = graph.labels();
  const std::span<const std::uint8_t> matrix = graph.label_matrix();
  for (std::size_t v = 0; v < graph.num_nodes(); ++v) {
    if (!matrix.empty() || (!labels.empty() && labels[v] >= 0)) {
      nodes.push_back(static_cast<NodeId>(v));
    }
  }
  return nodes;
}

std::vector<NodeId> read_nodes(const std::string& path, std::size_t num_nodes) {
  std::vector<NodeId> nodes;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::optional<std::uint64_t> node = parse_number<std::uint64_t>(line);
    if (!node || *node >= num_nodes) {
      fail(ExitStatus::bad_input, reader.place(), ": expected the number of a node below ",
           num_nodes, ", found '", printable(line), "'");
    }
    nodes.push_back(static_cast<NodeId>(*node));
  }
  return nodes;
}

TableKind table_kind(const std::string& name) {
  if (name == "auto") return TableKind::automatic;
  if (name == "dense") return TableKind::dense;
  if (name == "hash") return TableKind::hash;
  fail(ExitStatus::usage, "--table is '", printable(name), "', expected auto, dense or hash");
}

/// What only draws can do that take edges by their places.
void check_places(const SamplingOptions& o) {
  if (o.temporal != "none" && o.temporal != "uniform" && o.temporal != "last") {
    fail(ExitStatus::usage, "--temporal is '", printable(o.temporal),
         "', expected none, uniform or last");
  }
  if (o.method != "uniform" && (o.temporal != "none" || o.hide_seed_edges)) {
    fail(ExitStatus::usage, o.temporal != "none" ? "--temporal" : "--exclude-seed-edges",
         " goes with --method uniform alone, found ", o.method);
  }
  if ((o.method == "labor" || o.method == "window") && o.replace) {
    fail(ExitStatus::usage, "--method ", o.method,
         " draws without repetition: leave out --replace");
  }
  if (o.method == "window" && o.edge_ids) {
    fail(ExitStatus::usage, "--method window forgets which edge is which: leave out --edge-ids");
  }
  if (o.temporal == "last" && o.replace) {
    fail(ExitStatus::usage, "--temporal last draws without repetition: leave out --replace");
  }
}

}  // namespace

NeighborSamplerOptions sampler_options(const SamplingOptions& options, std::uint32_t batch_size,
                                       std::uint64_t seed) {
  NeighborSamplerOptions sampler;
  sampler.fanouts = parse_fanouts(options.fanouts, "--fanouts");
  if (options.semantics != "mfg" && options.semantics != "frontier") {
    fail(ExitStatus::usage, "--semantics is '", printable(options.semantics),
         "', expected mfg or frontier");
  }
  sampler.semantics = options.semantics == "mfg" ? Semantics::mfg : Semantics::frontier;
  sampler.seed = seed;
  sampler.max_seeds = batch_size;
  sampler.edge_positions = options.edge_ids;
  check_places(options);
  sampler.disjoint = options.disjoint || options.temporal != "none";
  sampler.table = table_kind(options.table);
  sampler.prefetch = options.prefetch;
  return sampler;
}

SamplerFactory::SamplerFactory(const StoredGraph& graph, const SamplingOptions& options,
                               const NeighborSamplerOptions& sampler)
    : graph_(graph), options_(options), sampler_(sampler) {
  graph.require_homogeneous();
  sampler_.sources_ascend = graph.times().empty();
  if (options.temporal != "none") sampler_.times = graph.times();
  if (options.method == "weighted") {
    if (graph.weights().empty()) {
      fail(ExitStatus::bad_input, graph.path(),
           ": the edges have no weights; give import some (--weight-column)");
    }
    alias_ = std::make_unique<AliasTables>(graph.csr(), graph.weights());
  } else if (options.method == "window") {
    check_memory(graph.path(), 2 * graph.num_edges() * sizeof(NodeId));
    sampler_.shuffle = std::make_shared<EpochShuffle>(graph.csr(), sampler.seed);
  } else if (options.method != "uniform" && options.method != "labor") {
    fail(ExitStatus::usage, "--method is '", printable(options.method),
         "', expected uniform, weighted, labor or window");
  }
}

std::unique_ptr<NeighborSampler> SamplerFactory::make() const {
  return std::make_unique<NeighborSampler>(graph_.csr(), sampler_, make_draw());
}

std::unique_ptr<NeighborDraw> SamplerFactory::make_draw() const {
  const CsrView csr = graph_.csr();
  if (alias_) {
    return weighted_draw({csr.neighbors.data(), graph_.weights(), alias_.get()}, options_.replace);
  }
  if (options_.temporal == "last") return last_draw();
  if (options_.method == "window") return window_draw();
  if (options_.method == "labor") return labor_draw(csr);
  return options_.replace ? repeated_draw(csr) : uniform_draw(csr);
}

std::vector<NodeId> find_seeds(const StoredGraph& graph, const std::string& seeds,
                               std::uint64_t split) {
  std::vector<NodeId> nodes;
  if (seeds == "all") {
    nodes.resize(graph.num_nodes());
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
  } else if (seeds == "labelled") {
    nodes = labelled_nodes(graph);
  } else {
    bool found = false;
    for (const NamedPart& part : kParts) {
      if (seeds != part.name) continue;
      nodes = graph.nodes_in(part.part, split);
      found = true;
    }
    if (!found) nodes = read_nodes(seeds, graph.num_nodes());
  }
  if (nodes.empty()) {
    fail(ExitStatus::bad_input, graph.path(), ": there is no node in '", printable(seeds), "'");
  }
  return nodes;
}

}  // namespace frugal
