#include "tools/gnn-sample/making/partition.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/graph/reorder.h"
#include "libcore/system/clock.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_fingerprint.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/parts/node_owners.h"

namespace frugal::gnn {
namespace {

PartitionMethod parse_method(const std::string& name) {
  if (name == "ldg") return PartitionMethod::ldg;
  if (name == "fennel") {  // a word of version 1.0
    log_warning("--method fennel is ldg, which cuts fewer edges in the same time");
    return PartitionMethod::ldg;
  }
  if (name == "random") return PartitionMethod::random;
  if (name == "multilevel") return PartitionMethod::multilevel;
  fail(ExitStatus::usage, "--method is '", printable(name),
       "', expected multilevel, ldg, fennel or random");
}

/// 1 for each node of the training part of the first split; empty where there is no split.
std::vector<std::uint8_t> training_nodes(const StoredGraph& graph) {
  std::vector<std::uint8_t> marks;
  if (graph.num_splits() == 0) return marks;
  for (const std::uint8_t part : graph.split()) {
    marks.push_back(static_cast<Part>(part) == Part::train);
  }
  return marks;
}

/// Weight of each node in the balance. edges: its edges plus one. train: such that training nodes
/// have about half of the total weight.
std::vector<std::uint32_t> node_weights(const PartitionCommandOptions& options, const CsrView& csr,
                                        const std::vector<std::uint8_t>& training) {
  std::vector<std::uint32_t> weights;
  if (options.balance == "edges") {
    for (NodeId v = 0; v < csr.num_nodes(); ++v) weights.push_back(csr.degree(v) + 1);
  } else if (options.balance == "train") {
    const auto count = static_cast<std::size_t>(std::count(training.begin(), training.end(), 1));
    if (count == 0) {
      fail(ExitStatus::usage, options.graph, ": has no nodes for training, so --balance train ",
           "has nothing to balance; expected nodes or edges");
    }
    const auto extra = static_cast<std::uint32_t>(training.size() / count);
    for (const std::uint8_t marked : training) weights.push_back(1 + marked * extra);
  }
  return weights;
}

/// Warns if parts are unbalanced: if few nodes count, single ones have a large weight, or two
/// quantities conflict.
void warn_of_imbalance(const PartitionCommandOptions& options, const PartitionQuality& quality) {
  const double found = options.balance == "train"   ? quality.marked_balance
                       : options.balance == "edges" ? quality.edge_balance
                                                    : quality.node_balance;
  if (found <= options.partition.imbalance * 1.001) return;
  log_warning(options.graph, ": the largest part has ", format_number(found, 4),
              " times the mean of what is balanced, more than --imbalance ",
              format_number(options.partition.imbalance, 4));
}

void write_parts(const PartitionCommandOptions& options, const CsrView& graph,
                 const std::vector<NodeId>& parts, const PartitionQuality& quality) {
  Document document;
  document.metadata["frugal.kind"] = kPartitionKind;
  document.metadata[kPartitionPartsKey] = std::to_string(options.partition.parts);
  document.metadata[kPartitionGraphKey] = edges_fingerprint(graph);
  document.metadata["partition.method"] = options.method;
  document.metadata["partition.cut"] = format_number(quality.cut, 4);
  append_history(document.metadata, options.history_entry);
  document.tensors.push_back(
      Tensor::lend("partition", {parts.size()}, std::span<const NodeId>(parts)));
  TensorWriteOptions output;
  output.if_changed = options.if_changed;
  write_document(options.output, document, output);
}

}  // namespace

PartitionResult partition(const PartitionCommandOptions& options) {
  PartitionOptions wanted = options.partition;
  wanted.method = parse_method(options.method);
  const StoredGraph graph(options.graph);
  graph.require_homogeneous();
  const std::vector<std::uint8_t> training = training_nodes(graph);
  const std::vector<std::uint32_t> weights = node_weights(options, graph.csr(), training);
  const double begin = wall_seconds();
  const Graph both = graph.directed() ? undirected_graph(graph.csr()) : Graph{};
  const std::vector<NodeId> parts =
      partition_graph(graph.directed() ? both.csr() : graph.csr(), weights, wanted);
  PartitionResult result;
  result.seconds = wall_seconds() - begin;
  result.nodes = graph.num_nodes();
  result.edges = graph.num_edges();
  result.has_split = !training.empty();
  result.quality = measure_partition(graph.csr(), parts, wanted.parts, training);
  warn_of_imbalance(options, result.quality);
  write_parts(options, graph.csr(), parts, result.quality);
  return result;
}

}  // namespace frugal::gnn
