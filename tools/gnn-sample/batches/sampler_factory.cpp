#include "tools/gnn-sample/batches/sampler_factory.h"

#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

/// Fanouts of each type of edges.
std::vector<Fanouts> fanouts_of_types(const StoredGraph& graph, const SamplingOptions& options) {
  if (!graph.heterogeneous()) {
    if (options.type_fanouts.empty()) return {parse_fanouts(options.fanouts, "--fanouts")};
    fail(ExitStatus::usage, "--fanouts ", options.type_fanouts.front(),
         " is for graphs of several types, ", graph.path(), " has one: give --fanouts 10,5");
  }
  std::vector<std::string> edge_types;
  for (const EdgeSet& edges : graph.content().edges) edge_types.push_back(edge_type_name(edges));
  return parse_type_fanouts(options.type_fanouts, options.fanouts, edge_types);
}

}  // namespace

SamplerFactory::SamplerFactory(const StoredGraph& graph, const SamplingOptions& options,
                               const NeighborSamplerOptions& sampler, std::size_t seed_type)
    : graph_(graph), options_(options), sampler_(sampler), seed_type_(seed_type) {
  if (options.method != "uniform" && options.method != "weighted" && options.method != "labor" &&
      options.method != "window") {
    fail(ExitStatus::usage, "--method is '", printable(options.method),
         "', expected uniform, weighted, labor or window");
  }
  const std::vector<Fanouts> fanouts = fanouts_of_types(graph, options);
  for (std::size_t t = 0; t < fanouts.size(); ++t) {
    if (is_followed(fanouts[t])) followed_.push_back({t, fanouts[t], nullptr, nullptr});
  }
  check_edge_data();
  for (Followed& type : followed_) prepare(type);
}

/// Fails if the edges lack the weights or times that the method needs, or if memory for shuffled
/// copies is missing.
void SamplerFactory::check_edge_data() const {
  std::uint64_t edges = 0, weights = 0, times = 0;
  for (const Followed& type : followed_) {
    edges += edges_of(type).csr.num_edges();
    weights += edges_of(type).weights.size();
    times += edges_of(type).times.size();
  }
  if (options_.method == "weighted" && weights == 0) {
    fail(ExitStatus::bad_input, graph_.path(),
         ": the edges have no weights; give import some (--columns NAME:weight)");
  }
  if (options_.temporal != "none" && times == 0) {
    fail(ExitStatus::bad_input, graph_.path(),
         ": the edges have no times; give import some (--columns NAME:time)");
  }
  if (options_.method == "window") check_memory(graph_.path(), 2 * edges * sizeof(NodeId));
}

void SamplerFactory::serve_links(std::optional<std::size_t> second_type,
                                 std::vector<HiddenLinks> hidden) {
  second_type_ = second_type;
  hidden_ = std::move(hidden);
}

std::vector<std::size_t> SamplerFactory::edge_types() const {
  std::vector<std::size_t> numbers;
  for (const Followed& type : followed_) numbers.push_back(type.number);
  return numbers;
}

std::uint32_t SamplerFactory::type_number(const std::string& type) const {
  const std::vector<NodeSet>& nodes = graph_.content().nodes;
  const NodeSet* const found = &graph_.content().nodes_of(type);
  return static_cast<std::uint32_t>(found - nodes.data());
}

/// Makes what all samplers share.
void SamplerFactory::prepare(Followed& type) const {
  const EdgeSet& edges = edges_of(type);
  if (options_.method == "weighted" && !edges.weights.empty()) {
    constexpr std::uint64_t kEdgeBytes = 8, kNodeBytes = 4;
    check_memory(graph_.path() + ": tables to draw by weights",
                 edges.csr.num_edges() * kEdgeBytes + edges.csr.num_nodes() * kNodeBytes);
    type.alias = std::make_unique<AliasTables>(edges.csr, edges.weights);
  } else if (options_.method == "window") {
    const std::uint64_t seed =
        type.number == 0 ? sampler_.seed : hash_combine(sampler_.seed, type.number);
    type.shuffle = std::make_shared<EpochShuffle>(edges.csr, seed);
  }
}

std::unique_ptr<NeighborSampler> SamplerFactory::make() const {
  TypesToSample types;
  for (const NodeSet& nodes : graph_.content().nodes) {
    types.num_nodes.push_back(nodes.size);
  }
  types.seed_type = static_cast<std::uint32_t>(seed_type_);
  if (second_type_) types.second_type = static_cast<std::uint32_t>(*second_type_);
  for (const Followed& type : followed_) {
    const EdgeSet& edges = edges_of(type);
    EdgesToSample to;
    to.csr = edges.csr;
    to.source_type = type_number(edges.source_type);
    to.target_type = type_number(edges.target_type);
    to.fanouts = type.fanouts;
    to.draw = make_draw(type);
    if (options_.temporal != "none") to.times = edges.times;
    to.shuffle = type.shuffle;
    to.sources_ascend = edges.times.empty();
    if (!hidden_.empty()) to.hidden = hidden_[type.number];
    types.edges.push_back(std::move(to));
  }
  return std::make_unique<NeighborSampler>(std::move(types), sampler_);
}

DrawKind SamplerFactory::draw_kind(const Followed& type) const {
  if (type.alias) return options_.replace ? DrawKind::weighted_repeated : DrawKind::weighted;
  if (options_.temporal == "last" && !edges_of(type).times.empty()) return DrawKind::last;
  if (type.shuffle) return DrawKind::window;
  if (options_.method == "labor") return DrawKind::labor;
  return options_.replace ? DrawKind::repeated : DrawKind::uniform;
}

std::unique_ptr<NeighborDraw> SamplerFactory::make_draw(const Followed& type) const {
  const EdgeSet& edges = edges_of(type);
  const CsrView csr = edges.csr;
  switch (draw_kind(type)) {
    case DrawKind::weighted:
    case DrawKind::weighted_repeated:
      return weighted_draw({csr.neighbors.data(), edges.weights, type.alias.get()},
                           options_.replace);
    case DrawKind::last: return last_draw();
    case DrawKind::window: return window_draw();
    case DrawKind::labor: return labor_draw(csr);
    case DrawKind::repeated: return repeated_draw(csr);
    default: return uniform_draw(csr);
  }
}

DrawnEdges SamplerFactory::drawn_edges() const {
  const Followed& type = followed_.front();
  return {edges_of(type), type.fanouts, draw_kind(type), options_.temporal != "none",
          type.alias.get()};
}

}  // namespace frugal::gnn
