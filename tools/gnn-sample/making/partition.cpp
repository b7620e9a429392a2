#include "tools/gnn-sample/making/partition.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/graph/reorder.h"
#include "libcore/system/clock.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_fingerprint.h"
#include "tools/gnn-sample/data/node_parts.h"
#include "tools/gnn-sample/data/stored_graph.h"

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

/// 1 for each node of the training part of the first split of its type; empty where there is none.
std::vector<std::uint8_t> training_nodes(const GraphContent& content) {
  std::vector<std::uint8_t> marks;
  bool any = false;
  for (const NodeSet& nodes : content.nodes) {
    any = any || !nodes.splits.empty();
    for (std::uint64_t v = 0; v < nodes.size; ++v) {
      marks.push_back(!nodes.splits.empty() &&
                      static_cast<Part>(nodes.splits.front()[v]) == Part::train);
    }
  }
  return any ? marks : std::vector<std::uint8_t>{};
}

/// Weight of each node in the balance. edges: its edges plus one. train: such that training nodes
/// have about half of the total weight of their type.
std::vector<std::uint32_t> node_weights(const PartitionCommandOptions& options,
                                        const GraphContent& content, const CsrView& csr,
                                        const std::vector<std::uint8_t>& training) {
  std::vector<std::uint32_t> weights;
  if (options.balance == "edges") {
    for (NodeId v = 0; v < csr.num_nodes(); ++v) weights.push_back(csr.degree(v) + 1);
  } else if (options.balance == "train") {
    if (std::count(training.begin(), training.end(), 1) == 0) {
      fail(ExitStatus::usage, options.graph, ": has no nodes for training, so --balance train ",
           "has nothing to balance; expected nodes or edges");
    }
    for (const NodeSet& nodes : content.nodes) {
      const auto begin = training.begin() + static_cast<std::ptrdiff_t>(weights.size());
      const auto end = begin + static_cast<std::ptrdiff_t>(nodes.size);
      const auto count = static_cast<std::size_t>(std::count(begin, end, 1));
      const auto extra = static_cast<std::uint32_t>(count == 0 ? 0 : nodes.size / count);
      for (auto marked = begin; marked != end; ++marked) weights.push_back(1 + *marked * extra);
    }
  }
  return weights;
}

/// Warns that parts are unbalanced: few nodes count, single ones have a large weight, or two
/// quantities conflict. what: what is counted.
void warn_of_imbalance(const PartitionCommandOptions& options, double found,
                       const std::string& what) {
  log_warning(options.graph, ": the largest part has ", format_number(found, 4),
              " times the mean of ", what, ", more than --imbalance ",
              format_number(options.partition.imbalance, 4));
}

/// Warns if the heaviest part exceeds part_capacity().
void check_loads(const PartitionCommandOptions& options, const std::vector<std::uint64_t>& loads,
                 const std::string& what) {
  const std::uint64_t sum = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (*std::max_element(loads.begin(), loads.end()) > part_capacity(sum, options.partition)) {
    warn_of_imbalance(options, load_balance(loads), what);
  }
}

/// Warns of each type whose parts are unbalanced in what is balanced, of parts with too many nodes
/// of all types, and of empty ones.
void check_types(const PartitionCommandOptions& options, const JoinedQuality& quality) {
  std::vector<std::uint64_t> all(options.partition.parts);
  const auto any = [](const std::vector<std::uint64_t>& loads) { return load_balance(loads) != 0; };
  for (const NodeTypeLoads& type : quality.nodes) {
    std::transform(all.begin(), all.end(), type.nodes.begin(), all.begin(), std::plus<>());
    const std::string where = "nodes of type " + type.type;
    if (options.balance == "train" && any(type.marked)) {
      check_loads(options, type.marked, "training " + where);
    } else if (options.balance == "edges" && any(type.edges)) {
      check_loads(options, type.edges, "edges of " + where);
    } else {
      check_loads(options, type.nodes, where);
    }
  }
  if (options.balance == "nodes") check_loads(options, all, "nodes of all types");
  const auto empty = std::count(all.begin(), all.end(), 0);
  if (empty != 0) {
    log_warning(options.graph, ": there is no node in ", empty, " of ", all.size(), " parts");
  }
}

/// The parts of the nodes of each type follow one another.
void write_parts(const PartitionCommandOptions& options, const GraphContent& content,
                 const std::vector<NodeId>& parts, double cut) {
  Document document;
  document.metadata["frugal.kind"] = kPartitionKind;
  document.metadata[kPartitionPartsKey] = std::to_string(options.partition.parts);
  document.metadata[kPartitionGraphKey] = edges_fingerprint(content.edges);
  document.metadata["partition.method"] = options.method;
  document.metadata["partition.cut"] = format_number(cut, 4);
  append_history(document.metadata, options.history_entry);
  std::span<const NodeId> left(parts);
  for (const NodeSet& nodes : content.nodes) {
    document.tensors.push_back(
        Tensor::lend(parts_tensor(nodes), {nodes.size}, left.first(nodes.size)));
    left = left.subspan(nodes.size);
  }
  TensorWriteOptions output;
  write_document(options.output, document, output);
}

PartitionResult partition_types(const PartitionCommandOptions& options,
                                const PartitionOptions& wanted, const GraphContent& content) {
  const std::vector<std::uint8_t> training = training_nodes(content);
  const double begin = wall_seconds();
  const JoinedTypes joined = join_types(content);
  const CsrView csr = joined.graph.csr();
  const std::vector<std::uint32_t> weights = node_weights(options, content, csr, training);
  const std::vector<NodeId> parts = partition_graph(csr, weights, wanted, joined.types);
  PartitionResult result;
  result.seconds = wall_seconds() - begin;
  result.nodes = joined.types.size();
  result.edges = content.num_edges();
  result.has_split = !training.empty();
  result.types = measure_types(content, joined, parts, wanted.parts, training);
  result.quality = measure_partition(csr, parts, wanted.parts, training);
  result.quality.cut = result.types->cut;
  result.quality.edge_balance = result.types->edge_balance;
  check_types(options, *result.types);
  write_parts(options, content, parts, result.quality.cut);
  return result;
}

}  // namespace

PartitionResult partition(const PartitionCommandOptions& options) {
  PartitionOptions wanted = options.partition;
  wanted.method = parse_method(options.method);
  const StoredGraph graph(options.graph);
  if (graph.heterogeneous()) return partition_types(options, wanted, graph.content());
  const std::vector<std::uint8_t> training = training_nodes(graph.content());
  const std::vector<std::uint32_t> weights =
      node_weights(options, graph.content(), graph.csr(), training);
  const double begin = wall_seconds();
  const Graph both = graph.directed() ? undirected_graph(graph.csr()) : Graph{};
  const std::vector<NodeId> parts =
      partition_graph(graph.directed() ? both.csr() : graph.csr(), weights, wanted);
  PartitionResult result;
  result.seconds = wall_seconds() - begin;
  result.nodes = graph.num_nodes();
  result.edges = graph.num_edges();
  result.has_split = !training.empty();
  const PartitionQuality& quality = result.quality =
      measure_partition(graph.csr(), parts, wanted.parts, training);
  const double found = options.balance == "train"   ? quality.marked_balance
                       : options.balance == "edges" ? quality.edge_balance
                                                    : quality.node_balance;
  if (found > options.partition.imbalance * 1.001) {
    warn_of_imbalance(options, found, "what is balanced");
  }
  write_parts(options, graph.content(), parts, quality.cut);
  return result;
}

}  // namespace frugal::gnn
