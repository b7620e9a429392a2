#include "tools/gnn-sample/data/stored_graph.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/io/mapped_document.h"
#include "libcore/system/limits.h"
#include "tools/gnn-sample/data/graph_file.h"

namespace frugal {
namespace {

/// What tensors are for; few ask for the last.
enum class Use { topology, features, seldom };

Use use_of(const std::string& name) {
  const std::string last = name.substr(name.rfind('/') + 1);
  if (last == "features") return Use::features;
  return last == "edge_ids" || last == "names" || last == "names.offsets" ? Use::seldom
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

ResidencePlan plan_residence(const std::string& path, const DocumentInfo& info,
                             Residence residence) {
  const std::uint64_t topology = bytes_for(info, Use::topology);
  const std::uint64_t features = bytes_for(info, Use::features);
  if (residence == Residence::mapped) return {false, false, false};
  if (residence == Residence::memory) {
    check_memory(path, topology + features + bytes_for(info, Use::seldom));
    return {};
  }
  ResidencePlan plan{false, false, false};
  std::uint64_t left = memory_available();
  plan.topology = topology <= left / 2;
  if (plan.topology) left -= topology;
  plan.features = features <= left / 2;
  return plan;
}

}  // namespace

struct StoredGraph::State {
  State(const std::string& path_, Residence residence)
      : path(path_), mapped(MappedDocument::open(path)) {
    if (mapped != nullptr) {
      load_plain(residence);
    } else {
      load_packed(residence);
    }
    content = view_graph(document, path, columns);
    if (mapped == nullptr) return;
    for (const TensorInfo& info : mapped->info().tensors) {
      if (!plan.loads(use_of(info.name))) mapped->expect_random_reads(info);
    }
  }

  void load_plain(Residence residence) {
    plan = plan_residence(path, mapped->info(), residence);
    document.metadata = mapped->info().metadata;
    for (const TensorInfo& info : mapped->info().tensors) {
      document.tensors.push_back(plan.loads(use_of(info.name)) ? mapped->load(info)
                                                               : mapped->tensor(info));
    }
    if (plan.topology && plan.features && plan.seldom) mapped.reset();
  }

  void load_packed(Residence residence) {
    document = read_document(path);
    if (residence != Residence::mapped) return;
    fail(ExitStatus::usage, path,
         ": is compressed, expected a plain .safetensors file to map; tensor-file convert makes "
         "one");
  }

  std::string path;
  std::unique_ptr<MappedDocument> mapped;
  ResidencePlan plan;
  Document document;
  std::vector<Array<std::uint8_t>> columns;
  GraphContent content;
};

StoredGraph::StoredGraph(const std::string& path, Residence residence)
    : state_(std::make_unique<State>(path, residence)) {}
StoredGraph::~StoredGraph() = default;
StoredGraph::StoredGraph(StoredGraph&&) noexcept = default;

const std::string& StoredGraph::path() const { return state_->path; }
const GraphContent& StoredGraph::content() const { return state_->content; }
bool StoredGraph::features_are_mapped() const { return !state_->plan.features; }
bool StoredGraph::topology_is_mapped() const { return !state_->plan.topology; }

void StoredGraph::require_homogeneous() const {
  if (!heterogeneous()) return;
  std::vector<std::string> types;
  for (const NodeSet& nodes : content().nodes) types.push_back(nodes.type);
  fail(ExitStatus::bad_input, path(), ": is a graph of several types of nodes (", joined(types),
       "), expected one type of nodes and one of edges");
}

std::span<const std::uint8_t> StoredGraph::split(std::size_t k) const {
  const auto& splits = content().node_set().splits;
  if (k < splits.size()) return splits[k];
  fail(ExitStatus::usage, path(), ": split ", k, " asked for, ",
       splits.empty() ? "but the graph has none: give gnn-sample import --split"
                      : "expected 0 to " + std::to_string(splits.size() - 1));
}

std::vector<NodeId> StoredGraph::nodes_in(Part part, std::size_t k) const {
  const auto parts = split(k);
  std::vector<NodeId> nodes;
  for (std::size_t v = 0; v < parts.size(); ++v) {
    if (parts[v] == static_cast<std::uint8_t>(part)) nodes.push_back(static_cast<NodeId>(v));
  }
  return nodes;
}

}  // namespace frugal
