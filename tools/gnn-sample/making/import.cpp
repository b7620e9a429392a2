#include "tools/gnn-sample/making/import.h"

#include <algorithm>
#include <array>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/graph/id_range.h"
#include "libcore/graph/reorder.h"
#include "libcore/tables/table_columns.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/formats/graph_input.h"
#include "tools/gnn-sample/formats/node_split.h"
#include "tools/gnn-sample/formats/ogb_folder.h"
#include "tools/gnn-sample/making/edge_rows.h"

namespace frugal::gnn {
namespace {

void check_options(const ImportOptions& o) {
  const bool names = o.ids != "number";
  const bool node_files = !o.features.empty() || !o.labels.empty() || !split_file(o).empty();
  if (names && o.node_ids.empty() && node_files && !joins_by_id(o)) {
    fail(ExitStatus::usage, "--ids ", o.ids,
         " numbers nodes as they come in the edges, expected --columns NAME:id or "
         "--node-ids to "
         "say which row of --features, --labels and --split is whose");
  }
  if (o.nodes && *o.nodes > kMostNodes) {
    fail(ExitStatus::usage, "--nodes is ", *o.nodes, ", expected at most ", kMostNodes);
  }
  if (o.num_splits < 1 || o.num_splits > 1000) {
    fail(ExitStatus::usage, "--num-splits is ", o.num_splits, ", expected 1 to 1000");
  }
}

enum class ImportColumn {
  source,
  target,
  weight,
  time,
  id,
  label,
  split,
  number,
  date,
  category,
  words,
  ignore
};
/// A column may be of one type among the edges and of another in a file of nodes.
constexpr std::array<ColumnTypeRow, 12> kColumnRows{
    {{.name = "source", .once = true, .shared = true},
     {.name = "target", .once = true, .shared = true},
     {.name = "weight", .once = true, .shared = true},
     {.name = "time", .once = true, .shared = true},
     {.name = "id", .shared = true},
     {.name = "label", .once = true, .shared = true},
     {.name = "split", .once = true, .shared = true},
     {.name = "number", .shared = true},
     {.name = "date", .shared = true},
     {.name = "category", .splits = true, .shared = true},
     {.name = "words", .shared = true},
     {.name = "ignore", .shared = true}}};
constexpr ColumnTypes<ImportColumn> kColumnTypes{kColumnRows};

/// Whether ids of any kind are whole numbers, of which 7, 7.0 and 007 are one.
bool has_whole_ids(const ImportOptions& o, GraphReader& reader, NodeNames* names) {
  EdgeTextOptions text = o.text;
  text.names = names;
  return o.ids == "any" && reader.has_whole_ids(text);
}

/// Files of nodes, which may say how many there are before the edges are read.
void read_node_files(const ImportOptions& o, NodeFiles& files) {
  if (!o.features.empty()) {
    files.read_features({{}, {}, o.features, o.labels, split_file(o), {}, {}});
    if (files.data.array && o.reorder != "none") {
      fail(ExitStatus::usage,
           "--reorder with features of robe-compress, which finds rows by their ",
           "numbers; expected it without --features, and features compressed in the new order");
    }
  }
  if (!o.labels.empty()) files.read_labels(o.labels);
  if (!split_file(o).empty()) files.read_split(o.split);
  files.check_id_column();
}

/// Replaces data that came with the edges by data from files.
void merge(NodeData&& files, NodeData& bundled) {
  if (files.has_features()) {
    bundled.features = std::move(files.features);
    bundled.sparse = std::move(files.sparse);
    bundled.array = std::move(files.array);
    bundled.columns = std::move(files.columns);
  }
  if (!files.labels.empty()) bundled.labels = std::move(files.labels);
  if (!files.splits.empty()) bundled.splits = std::move(files.splits);
}

/// Fails (bad_input) unless features, labels and splits have a row for each node.
void check_rows(const NodeData& data, std::uint64_t nodes, const std::string& path) {
  NodeCount count{nodes, "the graph"};
  if (data.has_features()) count.agree(data.feature_rows(), path + ": features");
  if (!data.labels.empty()) count.agree(data.labels.rows(), path + ": labels");
  for (const auto& split : data.splits) count.agree(split.size(), path + ": split");
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
  Array<float> edge_features;      ///< [edges, edge_dim]
  std::size_t edge_dim = 0;
  bool dates = false;  ///< times of edges are dates
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

NodeSet node_set(const Imported& data) {
  NodeSet set = node_set_of(data.nodes, data.graph.num_nodes());
  set.ids = data.ids;
  if (data.names.size() != 0 && data.ids.empty()) {
    set.name_offsets = data.names.offsets();
    set.names = data.names.bytes();
  }
  return set;
}

/// The input of the edges, for messages.
std::string graph_name(const ImportOptions& o) { return o.edges == "-" ? "stdin" : o.edges; }

void warn_of_edges(const ImportOptions& o, const EdgeList& edges) {
  if (edges.num_edges() == 0) return log_warning(graph_name(o), ": there are no edges");
  const bool weighted = std::any_of(edges.chunks.begin(), edges.chunks.end(),
                                    [](const EdgeChunk& chunk) { return !chunk.weights.empty(); });
  if (o.duplicates != "sum" || weighted) return;
  log_warning(graph_name(o),
              ": --duplicates sum, but there are no weights to sum: the first of equal ",
              "edges stays");
}

/// The edges, with what comes with them; `count` and `files` say which nodes there are.
GraphInput read_edges(const ImportOptions& o, const ImportProgress& progress, GraphReader& reader,
                      NodeNames* names, const NodeFiles& files, const NodeCount& count) {
  GraphReadOptions reading{o.text, o.split_name,
                           [&](std::uint64_t bytes) { progress("edges", bytes); }};
  if (!count.source.empty()) {
    reading.text.num_nodes = count.nodes;
    if (count.source != "--nodes") reading.text.num_nodes_source = count.source;
  }
  reading.text.names = names;
  reading.text.undirected = o.undirected;
  reading.text.names_as_written = o.ids == "text";
  reading.text.whole = WholeIds{files.whole_names(), files.whole_names()};
  reading.text.new_names = files.list_of_names().empty();
  if (!reading.text.new_names) reading.text.names_source = files.list_of_names();
  GraphInput input = reader.read(reading);
  if (input.counted_by_ids && count.source.empty()) {
    input.edges.num_nodes = std::max(input.edges.num_nodes, files.least_nodes());
  }
  const std::uint64_t nodes = input.edges.num_nodes;
  if (input.counted_by_ids && count.source.empty()) {
    check_id_range(graph_name(o), nodes, input.edges.num_edges());
  }
  warn_of_sparse_ids(graph_name(o), nodes, input.edges.num_edges());
  check_graph_memory(graph_name(o), nodes, input.edges.num_edges());
  return input;
}

/// Names that the format of the graph has, where no others are asked for.
void take_names(const ImportOptions& o, GraphInput& input, Imported& data) {
  if (input.names.size() == 0) return;
  if (joins_by_id(o)) {
    fail(ExitStatus::usage, graph_name(o),
         " has ids of its own; expected --ids any to join rows by them");
  }
  data.names = std::move(input.names);
}

/// Completes the nodes' data from files: merges, checks and converts them into the form that is
/// written.
void complete_nodes(const ImportOptions& o, std::uint64_t nodes, NodeFiles& files, Imported& data) {
  files.place(nodes);
  merge(std::move(files.data), data.nodes);
  check_rows(data.nodes, nodes, graph_name(o));
  split_at_random(o, o.split, nodes, data.nodes);
  const auto place = [&](const std::string& file) { return file.empty() ? graph_name(o) : file; };
  warn_of_unused_classes(data.nodes.labels, place(o.labels.empty() ? o.features : o.labels));
  if (data.nodes.has_features()) {
    convert_features(o.feature, data.nodes, place(o.features));
  } else {
    check_nothing_to_convert(o.feature, graph_name(o));
  }
}

/// Features of the edges, in the order of the input; of no shape if there are none.
Tensor edge_rows(const ImportOptions& o, const ImportProgress& progress, GraphInput& input) {
  Tensor rows = std::move(input.edge_features);
  if (!o.edge_features.empty()) {
    rows = read_edge_rows(o.edge_features,
                          [&](std::uint64_t bytes) { progress("edge features", bytes); });
  }
  if (rows.shape.empty() || rows.shape[0] == input.edges.num_edges()) return rows;
  fail(ExitStatus::bad_input, o.edge_features.empty() ? graph_name(o) : o.edge_features,
       ": has features of ", format_count(rows.shape[0], "edge"), ", expected ",
       input.edges.num_edges(), ", a row for each edge of ", graph_name(o));
}

/// Builds the graph, in its new order, and brings the features of edges into it.
void build(const ImportOptions& o, bool symmetrize, EdgeList&& edges, const Tensor& rows,
           Imported& data, ImportReport& report) {
  BuildOptions options = build_options(o, symmetrize);
  data.dates = edges.dates;
  options.edge_ids |= !rows.shape.empty();
  data.graph = build_graph(std::move(edges), options, &report.built);
  if (o.reorder != "none") reorder(o, !report.directed, data);
  if (rows.shape.empty()) return;
  data.edge_features = edge_rows_of(data.graph, rows);
  data.edge_dim = report.edge_features = static_cast<std::size_t>(rows.shape[1]);
  if (!o.edge_ids) data.graph.edge_ids = {};
}

void save(const ImportOptions& o, bool symmetrized, const ImportReport& report,
          const Imported& data) {
  GraphContent content;
  content.directed = report.directed;
  content.nodes.push_back(node_set(data));
  content.edges.push_back(edge_set_of(data.graph));
  content.edges.back().features = {{data.edge_features.data(), data.edge_features.size()},
                                   data.edge_dim};
  content.metadata = import_metadata(o, symmetrized);
  if (!data.graph.times.empty()) content.metadata[kDatesKey] = data.dates ? "true" : "false";
  describe_nodes(data.nodes, "", content.metadata);
  if (data.nodes.standardized_columns) content.metadata.erase(kFeaturesNormalizedKey);
  TensorWriteOptions output;
  save_graph(o.output, content, output);
}

/// Fails (usage) if the column has a type of features already, or gets it from --features-like.
void check_single_type(const ImportOptions& o, const std::string& name) {
  const auto is_same = [&](const auto& column) { return column.name == name; };
  if (std::ranges::any_of(o.feature.table.declared, is_same)) fail_same_column(name, name);
  if (o.features_like.empty()) return;
  fail(ExitStatus::usage, "--columns: '", printable(name), "' has a type, expected none with ",
       "--features-like, which has the types of all columns");
}

}  // namespace

void take_columns(ImportOptions& o) {
  if (o.columns.empty()) return;
  for (const auto& column : kColumnTypes.parse(o.columns)) {
    switch (column.type) {
      case ImportColumn::source: o.text.source_column = column.name; break;
      case ImportColumn::target: o.text.target_column = column.name; break;
      case ImportColumn::weight: o.text.weight_column = column.name; break;
      case ImportColumn::time: o.text.time_column = column.name; break;
      case ImportColumn::id: o.id_columns.push_back(column.name); break;
      case ImportColumn::label: o.label_column = column.name; break;
      case ImportColumn::split: o.split_column = column.name; break;
      default:
        check_single_type(o, column.name);
        o.feature.table.declared.push_back(
            {column.name, kFeatureTypes.by_name(kColumnTypes.name(column.type)), column.separator});
    }
  }
}

ImportReport import_graph(const ImportOptions& o, const ImportProgress& progress) {
  if (!o.typed_edges.empty() || is_typed_ogb(o.edges)) return import_types(o, progress);
  check_options(o);
  Imported data;
  NodeCount count;
  if (o.nodes) count.agree(*o.nodes, "--nodes");
  NodeNames* const names = o.ids != "number" ? &data.names : nullptr;
  GraphReader reader(o.edges, o.format);
  const bool whole = has_whole_ids(o, reader, names);
  if (!o.node_ids.empty()) {
    data.names = listed_names(o.node_ids, whole);
    count.agree(data.names.size(), o.node_ids);
  }
  NodeFiles files(o, progress, count, {names, whole, o.node_ids});
  read_node_files(o, files);
  GraphInput input = read_edges(o, progress, reader, names, files, count);
  const std::uint64_t nodes = input.edges.num_nodes;
  count.agree(nodes, graph_name(o));
  data.nodes = std::move(input.nodes);
  take_names(o, input, data);
  complete_nodes(o, nodes, files, data);

  ImportReport report;
  report.joined_by_id = files.joined();
  report.input_edges = input.edges.num_edges();
  const Tensor rows = edge_rows(o, progress, input);
  warn_of_edges(o, input.edges);
  const bool symmetrize = (o.undirected && !input.both_directions) || input.listed_once;
  report.directed = !symmetrize && !input.both_directions;
  progress("building", 0);
  build(o, symmetrize, std::move(input.edges), rows, data, report);
  if (auto numbers = data.names.as_numbers(); numbers && data.names.size() != 0) {
    data.ids = std::move(*numbers);
  }
  report.nodes = nodes;
  report.edges = data.graph.num_edges();
  report.classes = data.nodes.labels.num_classes;
  report.features = data.nodes.feature_dim();
  if (has_made_columns(data.nodes)) report.feature_columns = data.nodes.columns.summaries();
  count_parts(data.nodes, report);
  if (symmetrize) warn_of_duplicates(o, graph_name(o), report.built.duplicates, report.edges);
  progress("writing", 0);
  save(o, symmetrize, report, data);
  return report;
}

}  // namespace frugal::gnn
