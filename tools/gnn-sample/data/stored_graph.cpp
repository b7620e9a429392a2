#include "tools/gnn-sample/data/stored_graph.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/graph/graph.h"
#include "libcore/streams/plain_stream.h"
#include "libcore/system/limits.h"
#include "libcore/tensors/mapped_document.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/feature_array.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kNodesAtATime = 4096;

/// Use of a tensor. seldom: read by few commands, or copied when the graph is opened.
enum class Use { topology, features, seldom };

Use use_of(const std::string& name) {
  const std::string last = name.substr(name.rfind('/') + 1);
  if (last == "features" || last == "features.offsets" || last == "features.columns" ||
      last == "features.values" || last == "edge_features") {
    return Use::features;
  }
  return last == "edge_ids" || last == "names" || last == "names.offsets" ||
                 last.starts_with("embedding.")
             ? Use::seldom
             : Use::topology;
}

std::uint64_t bytes_for(const DocumentInfo& info, Use use) {
  std::uint64_t bytes = 0;
  for (const TensorInfo& tensor : info.tensors) {
    if (use_of(tensor.name) == use) bytes += tensor.end - tensor.begin;
  }
  return bytes;
}

/// Which tensors are taken into memory.
struct ResidencePlan {
  bool topology = true, features = true, seldom = true;

  bool loads(Use use) const {
    return use == Use::topology ? topology : use == Use::features ? features : seldom;
  }
};

ResidencePlan plan_residence(const std::string& path, const DocumentInfo& info, Residence residence,
                             FeaturePlace place) {
  const bool in_file = place == FeaturePlace::in_file || residence == Residence::packed;
  const std::uint64_t topology = bytes_for(info, Use::topology);
  const std::uint64_t features = in_file ? 0 : bytes_for(info, Use::features);
  if (residence == Residence::mapped) return {false, false, false};
  if (residence == Residence::memory) {
    check_memory(path, topology + features + bytes_for(info, Use::seldom));
    return {true, !in_file, true};
  }
  ResidencePlan plan{false, false, false};
  std::uint64_t left = memory_available();
  plan.topology = topology <= left / 2;
  if (plan.topology) left -= topology;
  plan.features = !in_file && features <= left / 2;
  return plan;
}

}  // namespace

struct StoredGraph::State {
  State(const std::string& path_, Residence residence, FeaturePlace features)
      : path(path_), mapped(MappedDocument::open(path)) {
    if (mapped != nullptr) {
      load_plain(residence, features);
    } else {
      load_packed(residence, features);
    }
    array = load_feature_array(document, path);
    content = view_graph(document, path, columns);
    edges_of_file = content.edges;
    if (array) use_feature_array(*array, path, content);
    if (mapped == nullptr) return;
    for (NodeSet& nodes : content.nodes) {
      if (!nodes.features) continue;
      nodes.features->in_file = !plan.features && !array && !nodes.features->sparse();
    }
    for (const TensorInfo& info : mapped->info().tensors) {
      if (!plan.loads(use_of(info.name))) mapped->expect_random_reads(info);
    }
  }

  void load_plain(Residence residence, FeaturePlace features) {
    plan = plan_residence(path, mapped->info(), residence, features);
    document.metadata = mapped->info().metadata;
    for (const TensorInfo& info : mapped->info().tensors) {
      document.tensors.push_back(plan.loads(use_of(info.name)) ? mapped->load(info)
                                                               : mapped->tensor(info));
    }
    if (plan.topology && plan.features && plan.seldom) mapped.reset();
  }

  void load_packed(Residence residence, FeaturePlace features) {
    if (residence == Residence::mapped || residence == Residence::packed ||
        features == FeaturePlace::in_file) {
      open_plain_stream(path, false);  // fails where there is no such file
      fail(ExitStatus::usage, path,
           ": cannot be mapped, expected a complete, plain .safetensors file, neither a pipe nor "
           "compressed; tensor-file convert makes one");
    }
    document = read_document(path);
  }

  std::string path;
  std::unique_ptr<MappedDocument> mapped;
  ResidencePlan plan;
  Document document;
  std::vector<Array<std::uint8_t>> columns;
  std::unique_ptr<Embedding> array;  ///< of features, where they are one
  GraphContent content;
  std::vector<EdgeSet> edges_of_file;
  struct KeptEdges {
    Graph graph;
    Array<float> features;
  };
  std::map<std::size_t, KeptEdges> kept;  ///< by type, where edges were left out
  FeatureStore computed;                  ///< where features were replaced
};

StoredGraph::StoredGraph(const std::string& path, Residence residence, FeaturePlace features)
    : state_(std::make_unique<State>(path, residence, features)) {}
StoredGraph::~StoredGraph() = default;
StoredGraph::StoredGraph(StoredGraph&&) noexcept = default;

const std::string& StoredGraph::path() const { return state_->path; }
const GraphContent& StoredGraph::content() const { return state_->content; }
std::span<const EdgeSet> StoredGraph::edges_of_file() const { return state_->edges_of_file; }
bool StoredGraph::features_are_mapped() const { return !state_->plan.features && !state_->array; }
bool StoredGraph::topology_is_mapped() const { return !state_->plan.topology; }

void StoredGraph::read_features(std::size_t first, std::size_t rows, std::byte* to) const {
  const auto& tensors = state_->mapped->info().tensors;
  const auto tensor = std::ranges::find(tensors, "features", &TensorInfo::name);
  assert(tensor != tensors.end());
  const std::size_t bytes = features()->row_bytes();
  state_->mapped->read(*tensor, first * bytes, to, rows * bytes);
}

std::string StoredGraph::text_of(const std::string& key) const {
  const auto found = metadata().find(key);
  return found == metadata().end() ? "" : found->second;
}

void StoredGraph::expect_reads_in_order() const {
  if (state_->mapped != nullptr) state_->mapped->expect_reads_in_order();
}

void StoredGraph::require_homogeneous() const {
  if (!heterogeneous()) return;
  std::vector<std::string> types;
  for (const NodeSet& nodes : content().nodes) types.push_back(nodes.type);
  fail(ExitStatus::bad_input, path(), ": is a graph of several types of nodes (", joined(types),
       "), expected one type of nodes and one of edges");
}

FeatureView StoredGraph::required_features() const {
  if (const std::optional<FeatureView> found = features()) return *found;
  fail(ExitStatus::bad_input, path(), ": the graph has no features; give import some (--features)");
}

void StoredGraph::require_edge_features(const std::string& reader) const {
  if (edge_features().dim != 0) return;
  fail(ExitStatus::bad_input, path(), ": the edges have no features, which ", reader,
       " reads; give import some (--edge-features)");
}

void StoredGraph::require_weights(const std::string& reader) const {
  if (!weights().empty() || num_edges() == 0) return;
  fail(ExitStatus::bad_input, path(), ": the edges have no weights, which ", reader,
       " reads; give import some (--columns NAME:weight)");
}

void StoredGraph::use_features(FeatureStore features) {
  state_->computed = std::move(features);
  state_->content.nodes.front().features = state_->computed.view();
  state_->plan.features = !state_->computed.in_file();
  state_->array.reset();
}

void StoredGraph::keep_edges(const std::function<bool(NodeId source, NodeId target)>& keep,
                             std::size_t type) {
  EdgeSet& edges = state_->content.edges[type];
  const CsrView from = edges.csr;
  const std::size_t nodes = from.num_nodes();
  check_memory("the edges of " + path() + " that are kept",
               from.neighbors.size_bytes() + edges.weights.size_bytes() + edges.times.size_bytes() +
                   edges.edge_ids.size_bytes() + edges.features.values.size_bytes() +
                   nodes * sizeof(EdgeId));
  Graph kept;
  kept.offsets = Array<EdgeId>(nodes + 1);
  const auto kept_of = [&](std::size_t v, const auto& take) {
    for (EdgeId e = from.offsets[v]; e < from.offsets[v + 1]; ++e) {
      if (keep(from.neighbors[e], static_cast<NodeId>(v))) take(e);
    }
  };
  parallel_for(nodes, kNodesAtATime, [&](std::size_t v) {
    EdgeId count = 0;
    kept_of(v, [&](EdgeId) { ++count; });
    kept.offsets[v + 1] = count;
  });
  for (std::size_t v = 0; v < nodes; ++v) kept.offsets[v + 1] += kept.offsets[v];
  const std::size_t size = kept.offsets[nodes];
  kept.neighbors = Array<NodeId>(size);
  kept.weights = Array<float>(edges.weights.empty() ? 0 : size);
  kept.times = Array<double>(edges.times.empty() ? 0 : size);
  kept.edge_ids = Array<EdgeId>(edges.edge_ids.empty() ? 0 : size);
  EdgeFeatures& features = edges.features;
  Array<float> kept_features(size * features.dim);
  parallel_for(nodes, kNodesAtATime, [&](std::size_t v) {
    EdgeId to = kept.offsets[v];
    kept_of(v, [&](EdgeId e) {
      kept.neighbors[to] = from.neighbors[e];
      if (!edges.weights.empty()) kept.weights[to] = edges.weights[e];
      if (!edges.times.empty()) kept.times[to] = edges.times[e];
      if (!edges.edge_ids.empty()) kept.edge_ids[to] = edges.edge_ids[e];
      std::copy_n(features.values.data() + e * features.dim, features.dim,
                  kept_features.data() + to * features.dim);
      ++to;
    });
  });
  State::KeptEdges& stored = state_->kept[type];
  stored = {std::move(kept), std::move(kept_features)};
  features.values = {stored.features.data(), stored.features.size()};
  const Graph& graph = stored.graph;
  edges.csr = graph.csr();
  edges.weights = {graph.weights.data(), graph.weights.size()};
  edges.times = {graph.times.data(), graph.times.size()};
  edges.edge_ids = {graph.edge_ids.data(), graph.edge_ids.size()};
}

void StoredGraph::drop_edges() {
  EdgeSet& edges = state_->content.edges.front();
  Graph none;
  none.offsets = Array<EdgeId>(edges.csr.num_nodes() + 1);
  Graph& kept = state_->kept[0].graph;
  kept = std::move(none);
  edges.csr = kept.csr();
  edges.weights = {};
  edges.times = {};
  edges.edge_ids = {};
  edges.features = {};
}

std::span<const std::uint8_t> StoredGraph::split(std::size_t k, std::size_t type) const {
  const auto& splits = content().nodes[type].splits;
  if (k < splits.size()) return splits[k];
  const std::string none = heterogeneous()
                               ? "but nodes " + printable(content().nodes[type].type) +
                                     " have none: give gnn-sample import --split TYPE=FILE"
                               : "but the graph has none: give gnn-sample import --split";
  fail(ExitStatus::usage, path(), ": split ", k, " asked for, ",
       splits.empty() ? none : "expected 0 to " + std::to_string(splits.size() - 1));
}

std::vector<NodeId> StoredGraph::nodes_in(Part part, std::size_t k, std::size_t type) const {
  const auto parts = split(k, type);
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < parts.size(); ++v) {
    if (parts[v] == static_cast<std::uint8_t>(part)) nodes.push_back(static_cast<NodeId>(v));
  }
  return nodes;
}

}  // namespace frugal::gnn
