#include "tools/gnn-sample/import.h"

#include <algorithm>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/graph/reorder.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/data/graph_input.h"
#include "tools/gnn-sample/data/node_labels.h"
#include "tools/gnn-sample/data/node_split.h"
#include "tools/gnn-sample/data/reorder_nodes.h"

namespace frugal {
namespace {

/// A number of nodes and who says so.
struct NodeCount {
  std::uint64_t nodes = 0;
  std::string source;  ///< "": nobody yet

  void agree(std::uint64_t other, const std::string& other_source) {
    if (source.empty()) {
      nodes = other;
      source = other_source;
    } else if (nodes != other) {
      fail(ExitStatus::bad_input, other_source, ": has ", format_count(other, "node"),
           ", expected ", nodes, " as ", source, source == "--nodes" ? " says" : " has");
    }
  }
};

void check_options(const ImportOptions& o) {
  const bool names = o.ids == "any";
  if (!o.node_ids.empty() && !names) {
    fail(ExitStatus::usage, "--node-ids lists names, expected --ids any with it");
  }
  const bool node_files =
      !o.features.empty() || !o.labels.empty() || (!o.split.empty() && !parse_split_rule(o.split));
  if (names && o.node_ids.empty() && node_files) {
    fail(ExitStatus::usage,
         "--ids any numbers nodes as they come in the edges, expected --node-ids to say which line "
         "of --features, --labels and --split is whose");
  }
  if (o.nodes > kMostNodes) {
    fail(ExitStatus::usage, "--nodes is ", o.nodes, ", expected at most ", kMostNodes);
  }
  if (o.num_splits < 1 || o.num_splits > 1000) {
    fail(ExitStatus::usage, "--num-splits is ", o.num_splits, ", expected 1 to 1000");
  }
}

/// Files of nodes, which say how many there are before the edges are read.
NodeData read_node_files(const ImportOptions& o, const ImportProgress& progress, NodeCount& count) {
  NodeData data;
  if (!o.features.empty()) {
    read_features(o.features, o.feature, data,
                  [&](std::uint64_t bytes) { progress("features", bytes); });
    count.agree(data.features.shape[0], o.features);
  }
  if (!o.labels.empty()) {
    data.labels = read_labels(o.labels, o.label_column);
    count.agree(data.labels.rows(), o.labels);
  }
  if (!o.split.empty() && !parse_split_rule(o.split)) {
    data.splits = read_splits(o.split, o.split_column);
    count.agree(data.splits[0].size(), o.split);
  }
  return data;
}

/// What the files say replaces what came with the edges.
void merge(NodeData&& files, NodeData& bundled) {
  if (files.has_features()) bundled.features = std::move(files.features);
  if (!files.labels.empty()) bundled.labels = std::move(files.labels);
  if (!files.splits.empty()) bundled.splits = std::move(files.splits);
}

/// All that is known of nodes has a row for each of them.
void check_rows(const NodeData& data, std::uint64_t nodes, const std::string& path) {
  NodeCount count{nodes, "the graph"};
  if (data.has_features()) count.agree(data.features.shape[0], path + ": features");
  if (!data.labels.empty()) count.agree(data.labels.rows(), path + ": labels");
  for (const auto& split : data.splits) count.agree(split.size(), path + ": split");
}

BuildOptions build_options(const ImportOptions& o, bool symmetrize) {
  return {.symmetrize = symmetrize,
          .dedupe = o.dedupe,
          .merge = o.sum_weights ? MergeWeights::sum : MergeWeights::first,
          .self_loops = o.self_loops == "remove" ? SelfLoops::remove
                        : o.self_loops == "add"  ? SelfLoops::add
                                                 : SelfLoops::keep,
          .edge_ids = o.edge_ids};
}

Array<NodeId> new_order(const Graph& graph, bool undirected, const std::string& name) {
  if (name == "degree") return order_nodes(graph.csr(), NodeOrder::degree);
  const NodeOrder order = name == "rcm" ? NodeOrder::rcm : NodeOrder::rabbit;
  if (undirected) return order_nodes(graph.csr(), order);
  return order_nodes(undirected_graph(graph.csr()).csr(), order);
}

/// A graph and what is known of its nodes, about to be written.
struct Imported {
  Graph graph;
  NodeData nodes;
  NodeNames names;
  std::vector<std::uint64_t> ids;  ///< in the input, where they are not 0, 1, 2 ...
};

void reorder(const ImportOptions& o, bool undirected, Imported& data) {
  const Array<NodeId> order = new_order(data.graph, undirected, o.reorder);
  const std::span<const NodeId> new_ids(order.data(), order.size());
  if (new_ids.empty()) return;
  data.graph = permute_graph(data.graph, new_ids);
  reorder_nodes(new_ids, data.nodes);
  if (data.names.size() != 0) {
    data.names = reorder_names(new_ids, data.names);
  } else {
    data.ids = old_ids(new_ids);
  }
}

template <class T>
std::span<const T> view(const Array<T>& array) {
  return {array.data(), array.size()};
}

NodeSet node_set(const Imported& data) {
  NodeSet set;
  set.size = data.graph.num_nodes();
  const NodeData& nodes = data.nodes;
  if (nodes.has_features()) {
    set.features =
        FeatureView{nodes.features.dtype, nodes.features.content().data(), set.size,
                    static_cast<std::size_t>(nodes.features.shape[1]), view(nodes.scales)};
  }
  set.labels = nodes.labels.classes;
  set.label_matrix = nodes.labels.matrix;
  set.num_classes = nodes.labels.num_classes;
  for (const auto& split : nodes.splits) set.splits.push_back(split);
  set.ids = data.ids;
  if (data.names.size() != 0 && data.ids.empty()) {
    set.name_offsets = data.names.offsets();
    set.names = data.names.bytes();
  }
  return set;
}

EdgeSet edge_set_of(const Graph& graph) {
  EdgeSet set;
  set.csr = graph.csr();
  set.weights = view(graph.weights);
  set.times = view(graph.times);
  set.edge_ids = view(graph.edge_ids);
  return set;
}

Metadata import_metadata(const ImportOptions& o, bool symmetrized, const NodeLabels& labels) {
  Metadata metadata;
  if (symmetrized) metadata["graph.symmetrized"] = "true";
  if (o.dedupe) metadata["graph.duplicates"] = o.sum_weights ? "summed" : "merged";
  if (o.self_loops != "keep") metadata["graph.self_loops"] = o.self_loops;
  if (o.reorder != "none") metadata["graph.order"] = o.reorder;
  if (o.feature.normalize != "none") metadata["graph.features_normalized"] = o.feature.normalize;
  std::string names;
  for (const std::string& name : labels.class_names) names += (names.empty() ? "" : "\n") + name;
  if (!names.empty()) metadata["graph.class_names"] = names;
  append_history(metadata, o.history_entry);
  return metadata;
}

void count_parts(const NodeData& nodes, ImportReport& report) {
  for (const std::int32_t label : nodes.labels.classes) report.labelled += label >= 0;
  if (!nodes.labels.matrix.empty()) report.labelled = nodes.labels.rows();
  report.splits = nodes.splits.size();
  if (nodes.splits.empty()) return;
  const auto size_of = [&](Part part) {
    return static_cast<std::uint64_t>(std::count(nodes.splits[0].begin(), nodes.splits[0].end(),
                                                 static_cast<std::uint8_t>(part)));
  };
  report.train = size_of(Part::train);
  report.valid = size_of(Part::valid);
  report.test = size_of(Part::test);
}

void warn_of_duplicates(const ImportOptions& o, const ImportReport& report) {
  if (!o.undirected || o.dedupe || report.built.duplicates == 0) return;
  log_warning(o.edges, ": ", report.built.duplicates, " of ", report.edges,
              " edges are there more than once: where the file has both directions, --dedupe "
              "merges them");
}

}  // namespace

ImportReport import_graph(ImportOptions o, const ImportProgress& progress) {
  check_options(o);
  Imported data;
  NodeCount count;
  if (o.nodes != 0) count.agree(o.nodes, "--nodes");
  if (!o.node_ids.empty()) {
    data.names = read_node_names(o.node_ids);
    count.agree(data.names.size(), o.node_ids);
  }
  NodeData files = read_node_files(o, progress, count);
  GraphReadOptions reading{o.text, o.split_name,
                           [&](std::uint64_t bytes) { progress("edges", bytes); }};
  if (!count.source.empty()) reading.text.num_nodes = count.nodes;
  if (o.ids == "any") reading.text.names = &data.names;
  reading.text.new_names = o.node_ids.empty();
  GraphInput input = read_graph_input(o.edges, o.format, reading);
  data.nodes = std::move(input.nodes);
  merge(std::move(files), data.nodes);
  const std::uint64_t nodes = input.edges.num_nodes;
  count.agree(nodes, o.edges);
  check_rows(data.nodes, nodes, o.edges);
  if (const auto rule = o.split.empty() ? std::nullopt : parse_split_rule(o.split)) {
    data.nodes.splits = random_splits(*rule, nodes, data.nodes.labels, o.seed, o.num_splits);
  }
  if (data.nodes.has_features()) convert_features(o.feature, data.nodes);

  ImportReport report;
  report.input_edges = input.edges.num_edges();
  const bool symmetrize = (o.undirected && !input.both_directions) || input.listed_once;
  report.directed = !symmetrize && !input.both_directions;
  progress("building", 0);
  data.graph = build_graph(std::move(input.edges), build_options(o, symmetrize), &report.built);
  if (o.reorder != "none") reorder(o, !report.directed, data);
  if (auto numbers = data.names.as_numbers(); numbers && data.names.size() != 0) {
    data.ids = std::move(*numbers);
  }
  report.nodes = nodes;
  report.edges = data.graph.num_edges();
  report.classes = data.nodes.labels.num_classes;
  report.features = data.nodes.has_features() ? data.nodes.features.shape[1] : 0;
  count_parts(data.nodes, report);
  warn_of_duplicates(o, report);

  GraphContent content;
  content.directed = report.directed;
  content.nodes.push_back(node_set(data));
  content.edges.push_back(edge_set_of(data.graph));
  content.metadata = import_metadata(o, symmetrize, data.nodes.labels);
  progress("writing", 0);
  TensorWriteOptions output;
  output.if_changed = o.if_changed;
  save_graph(o.output, content, output);
  return report;
}

}  // namespace frugal
