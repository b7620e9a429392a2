#include <algorithm>
#include <memory>
#include <optional>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/formats/edge_text.h"
#include "tools/gnn-sample/making/import_parts.h"
#include "tools/gnn-sample/making/typed_files.h"

namespace frugal::gnn {
namespace {

struct TypedNodes {
  NodeTypeFiles files;
  NodeNames names;                 ///< where ids are names
  std::vector<std::uint64_t> ids;  ///< where all of these are numbers
  bool whole = true;               ///< 7, 7.0 and 007 are one, in all edges
  std::unique_ptr<NodeCount> count = std::make_unique<NodeCount>();
  std::unique_ptr<NodeFiles> read;

  NodeData& data() const { return read->data; }
};

struct TypedEdges {
  EdgeTypeFile files;
  bool lacks_weights = false;  ///< the column of weights is in files of other relations alone
  std::unique_ptr<PieceReader> reader;
  EdgeList list;
  Graph graph, reversed;

  bool same_type() const { return files.source == files.target; }
};

struct TypedGraph {
  std::vector<TypedNodes> nodes;
  std::vector<TypedEdges> edges;

  TypedNodes& nodes_of(const std::string& type) {
    return *std::find_if(nodes.begin(), nodes.end(),
                         [&](const TypedNodes& n) { return n.files.type == type; });
  }
};

NodeNaming nodes_naming(const ImportOptions& o, TypedNodes& nodes) {
  if (o.ids == "number") return {};
  return {&nodes.names, nodes.whole, nodes.files.node_ids};
}

void read_nodes(const ImportOptions& o, const ImportProgress& progress, TypedNodes& nodes) {
  const NodeTypeFiles& files = nodes.files;
  if (!files.node_ids.empty()) {
    nodes.names = listed_names(files.node_ids, nodes.whole);
    nodes.count->agree(nodes.names.size(), files.node_ids);
  }
  nodes.read = std::make_unique<NodeFiles>(o, progress, *nodes.count, nodes_naming(o, nodes));
  if (files.nodes) nodes.count->agree(*files.nodes, "type " + files.type);
  if (!files.features.empty()) {
    nodes.read->read_features(files);
    if (nodes.data().array) {
      fail(ExitStatus::bad_input, files.features,
           ": is of robe-compress, which graphs of one type of nodes take; expected the rows that "
           "robe-compress expand writes");
    }
  }
  if (!files.labels.empty()) nodes.read->read_labels(files.labels);
  if (!files.split.empty()) nodes.read->read_split(files.split);
  if (nodes.data().has_features()) convert_features(o.feature, nodes.data(), files.features);
}

std::uint64_t count_ids(const EdgeList& list, bool targets) {
  std::uint64_t count = 0;
  for (const EdgeChunk& chunk : list.chunks) {
    for (const NodeId id : targets ? chunk.targets : chunk.sources) {
      count = std::max(count, std::uint64_t{id} + 1);
    }
  }
  return count;
}

EdgeTextOptions text_of(const ImportOptions& o, const TypedEdges& edges) {
  EdgeTextOptions text = o.text;
  text.source_type = edges.files.source;
  text.undirected = o.undirected;
  text.target_type = edges.files.target;
  text.names_as_written = o.ids == "text";
  if (edges.lacks_weights) text.weight_column = "none";
  return text;
}

/// Relations may lack weights, but not all of them.
void find_weights(const ImportOptions& o, TypedGraph& graph) {
  const std::string& column = o.text.weight_column;
  if (column.empty() || column == "none") return;
  const auto lacks = [&](TypedEdges& edges) {
    return !has_edge_column(*edges.reader, text_of(o, edges), column);
  };
  std::vector<bool> lacking;
  for (TypedEdges& edges : graph.edges) lacking.push_back(lacks(edges));
  if (std::ranges::find(lacking, false) == lacking.end()) return;  // reading fails with the names
  for (std::size_t e = 0; e < lacking.size(); ++e) {
    graph.edges[e].lacks_weights = lacking[e];
    if (!lacking[e]) continue;
    log_info(graph.edges[e].files.path, ": has no column '", printable(column),
             "': this relation has no weights");
  }
}

/// Opens the edges and, where ids are names, finds the types whose ids are whole numbers.
void open_edges(const ImportOptions& o, TypedGraph& graph) {
  for (TypedEdges& edges : graph.edges) {
    edges.reader = std::make_unique<PieceReader>(edges.files.path);
  }
  find_weights(o, graph);
  for (TypedEdges& edges : graph.edges) {
    if (o.ids != "any") continue;
    EdgeTextOptions text = text_of(o, edges);
    NodeNames none;
    text.names = &none;
    if (edges.files.source != edges.files.target) text.target_names = TargetNames{&none, true, ""};
    const WholeIds whole = whole_ids(*edges.reader, text);
    graph.nodes_of(edges.files.source).whole &= whole.sources;
    graph.nodes_of(edges.files.target).whole &= whole.targets;
  }
  for (TypedNodes& nodes : graph.nodes) nodes.whole = nodes.whole && o.ids == "any";
}

/// The names of the two ends' types.
void add_names(const TypedEdges& edges, TypedGraph& graph, EdgeTextOptions& text) {
  TypedNodes& sources = graph.nodes_of(edges.files.source);
  TypedNodes& targets = graph.nodes_of(edges.files.target);
  text.num_nodes = kMostNodes;
  text.names = &sources.names;
  text.names_source = sources.read->list_of_names();
  text.new_names = text.names_source.empty();
  text.whole = WholeIds{sources.whole, targets.whole};
  if (&sources == &targets) return;
  const std::string& list = targets.read->list_of_names();
  text.target_names = TargetNames{&targets.names, list.empty(), list};
}

/// True if times are dates; nothing if no relation has times. Fails (bad_input) if some relations
/// have dates and others numbers, as these cannot be compared.
std::optional<bool> have_dates(const TypedGraph& graph) {
  const TypedEdges* first = nullptr;
  for (const TypedEdges& edges : graph.edges) {
    if (edges.list.chunks.empty() || edges.list.chunks.front().times.empty()) continue;
    if (first == nullptr) first = &edges;
    if (edges.list.dates == first->list.dates) continue;
    fail(ExitStatus::bad_input, edges.files.path, ": times are ",
         edges.list.dates ? "dates" : "numbers", ", expected ",
         first->list.dates ? "dates" : "numbers", " as in ", first->files.path);
  }
  return first == nullptr ? std::nullopt : std::optional(first->list.dates);
}

/// Types have as many nodes as names.
void count_names(TypedGraph& graph) {
  for (TypedNodes& nodes : graph.nodes) {
    nodes.count->agree(nodes.names.size(), "edges");
    auto numbers = nodes.names.as_numbers();
    if (numbers && nodes.names.size() != 0) nodes.ids = std::move(*numbers);
  }
}

void read_edges(const ImportOptions& o, const ImportProgress& progress, TypedGraph& graph) {
  const auto limit = [&](const std::string& type) {
    const NodeCount& count = *graph.nodes_of(type).count;
    return count.source.empty() ? kMostNodes : count.nodes;
  };
  for (TypedEdges& edges : graph.edges) {
    EdgeTextOptions text = text_of(o, edges);
    text.num_nodes = limit(edges.files.source);
    text.num_targets = limit(edges.files.target);
    text.num_nodes_source = graph.nodes_of(edges.files.source).count->source;
    text.num_targets_source = graph.nodes_of(edges.files.target).count->source;
    if (o.ids != "number") add_names(edges, graph, text);
    edges.list =
        read_edge_text(*edges.reader, text, [&](std::uint64_t bytes) { progress("edges", bytes); });
  }
  if (o.ids != "number") return count_names(graph);
  // Types that no file counts have as many nodes as edges name.
  for (TypedNodes& nodes : graph.nodes) {
    if (!nodes.count->source.empty()) continue;
    *nodes.count = {nodes.read->least_nodes(), "edges"};
    for (const TypedEdges& edges : graph.edges) {
      for (const bool targets : {false, true}) {
        if ((targets ? edges.files.target : edges.files.source) != nodes.files.type) continue;
        nodes.count->nodes = std::max(nodes.count->nodes, count_ids(edges.list, targets));
      }
    }
  }
}

/// A relation may touch few nodes of a type, but all relations together should touch most.
void warn_of_sparse_types(const TypedGraph& graph) {
  for (const TypedNodes& nodes : graph.nodes) {
    std::uint64_t edges = 0;
    for (const TypedEdges& some : graph.edges) {
      const bool touches =
          some.files.source == nodes.files.type || some.files.target == nodes.files.type;
      edges += touches ? some.list.num_edges() : 0;
    }
    warn_of_sparse_ids("type " + nodes.files.type, nodes.count->nodes, edges);
  }
}

/// Rows for the targets; the builder makes one for each id that may be a source as well.
Graph build_typed(EdgeList&& list, std::uint64_t sources, std::uint64_t targets,
                  const BuildOptions& options, BuildReport& report) {
  list.num_nodes = std::max(sources, targets);
  check_graph_memory("edges", list.num_nodes, list.num_edges());
  Graph graph = build_graph(std::move(list), options, &report);
  if (graph.num_nodes() > targets) {
    graph.offsets = Array<EdgeId>::copy_of({graph.offsets.data(), targets + 1});
  }
  return graph;
}

/// Nodes without edges of any type.
std::uint64_t count_isolated(const GraphContent& content) {
  std::uint64_t count = 0;
  for (const NodeSet& nodes : content.nodes) {
    std::vector<bool> touched(nodes.size, false);
    for (const EdgeSet& edges : content.edges) {
      if (edges.source_type == nodes.type) {
        for (const NodeId source : edges.csr.neighbors) touched[source] = true;
      }
      for (std::size_t v = 0; edges.target_type == nodes.type && v < nodes.size; ++v) {
        if (edges.csr.degree(static_cast<NodeId>(v)) != 0) touched[v] = true;
      }
    }
    count += static_cast<std::uint64_t>(std::count(touched.begin(), touched.end(), false));
  }
  return count;
}

void check_typed_options(const ImportOptions& o) {
  const bool plain = o.reorder == "none" && o.node_ids.empty() && o.features.empty() &&
                     o.labels.empty() && (o.split.empty() || o.split == "none") && !o.nodes;
  if (plain) return;
  fail(ExitStatus::usage,
       "graphs of several types cannot take --reorder, and take --features, --labels, --split, "
       "--nodes and --node-ids as TYPE=VALUE with --edges");
}

/// Self loops exist only within one type.
void check_self_loops(const ImportOptions& o, const TypedGraph& graph) {
  if (o.self_loops != "add" || std::ranges::any_of(graph.edges, &TypedEdges::same_type)) return;
  fail(ExitStatus::usage,
       "--self-loops add: no edges are between nodes of one type, expected some, or it left out");
}

/// Names are for edges in text, and rows of files of nodes need them.
void check_typed_names(const ImportOptions& o, bool folder, const TypedGraph& graph) {
  if (o.ids == "number") return;
  if (folder)
    fail(ExitStatus::usage, "--ids ", o.ids, ": a folder of OGB has numbers, leave it out");
  const bool rows = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const TypedNodes& n) {
    const NodeTypeFiles& files = n.files;
    return files.node_ids.empty() &&
           (!files.features.empty() || !files.labels.empty() || !files.split.empty());
  });
  if (!rows || joins_by_id(o)) return;
  fail(ExitStatus::usage, "--ids ", o.ids, " numbers nodes as they come in the edges, expected ",
       "--columns NAME:id or --node-ids TYPE=FILE to say which row of --features, --labels and ",
       "--split is whose");
}

/// Fails (usage) if a column that --columns gives a type of features is in no file of features.
void check_feature_names(const ImportOptions& o, const TypedGraph& graph) {
  for (const auto& column : o.feature.table.declared) {
    const auto has = [&](const TypedNodes& nodes) {
      const auto& names = nodes.read->data.table_names;
      return std::find(names.begin(), names.end(), column.name) != names.end();
    };
    if (column.name == kOtherColumns || std::ranges::any_of(graph.nodes, has)) continue;
    fail(ExitStatus::usage, "--columns: '", printable(column.name), "' is ",
         kFeatureTypes.name(column.type), ", expected a column of a file of --features");
  }
}

/// The content's nodes of this type, which are read and counted.
void add_nodes(const ImportOptions& o, TypedNodes& nodes, GraphContent& content,
               ImportReport& report) {
  if (!nodes.files.split_folder.empty()) {
    read_ogb_split(nodes.files.split_folder, nodes.count->nodes, nodes.data());
  }
  nodes.read->place(nodes.count->nodes);
  const std::string& rule = nodes.files.split_rule;
  split_at_random(o, rule.empty() ? o.split : rule, nodes.count->nodes, nodes.data());
  warn_of_unused_classes(nodes.data().labels, nodes.files.labels);
  NodeSet& set = content.nodes.emplace_back(node_set_of(nodes.data(), nodes.count->nodes));
  set.type = nodes.files.type;
  set.ids = nodes.ids;
  if (nodes.ids.empty() && nodes.names.size() != 0) {
    set.name_offsets = nodes.names.offsets();
    set.names = nodes.names.bytes();
  }
  report.node_types.push_back(set.type);
  report.nodes += set.size;
  const NodeData& data = nodes.data();
  if (!data.labels.empty()) report.classes = data.labels.num_classes;
  if (!data.splits.empty() || !data.labels.empty()) {
    count_parts(data, report);
    report.features = data.feature_dim();
    if (has_made_columns(data)) report.feature_columns = data.columns.summaries();
  }
}

/// The edges turned round.
EdgeList turned_round(EdgeList edges) {
  for (EdgeChunk& chunk : edges.chunks) std::swap(chunk.sources, chunk.targets);
  return edges;
}

void add_edge_set(const Graph& graph, const EdgeTypeFile& type, GraphContent& content,
                  ImportReport& report) {
  EdgeSet& set = content.edges.emplace_back(edge_set_of(graph));
  set.source_type = type.source;
  set.relation = type.relation;
  set.target_type = type.target;
  report.edge_types.push_back(edge_type_name(set));
  report.edges += set.csr.num_edges();
}

/// Builds the content's edges of this type, and those in the other direction.
void add_edges(const ImportOptions& o, TypedGraph& graph, TypedEdges& edges, GraphContent& content,
               ImportReport& report) {
  report.input_edges += edges.list.num_edges();
  const EdgeTypeFile& files = edges.files;
  const std::uint64_t sources = graph.nodes_of(files.source).count->nodes;
  const std::uint64_t targets = graph.nodes_of(files.target).count->nodes;
  // Between two types equal numbers are different nodes.
  const bool same_type = edges.same_type(), symmetrize = o.undirected && same_type;
  BuildOptions building = build_options(o, symmetrize);
  if (!same_type) building.self_loops = SelfLoops::keep;
  BuildReport built, again;
  if (has_reverse(o, files)) {
    edges.reversed = build_typed(turned_round(edges.list), targets, sources, building, again);
  }
  edges.graph = build_typed(std::move(edges.list), sources, targets, building, built);
  report.built.duplicates += built.duplicates;
  if (same_type) report.built.self_loops += built.self_loops;
  if (symmetrize) {
    warn_of_duplicates(o, files.path, built.duplicates, edges.graph.num_edges());
  }
  add_edge_set(edges.graph, files, content, report);
  if (has_reverse(o, files)) add_edge_set(edges.reversed, reverse_of(files), content, report);
}

}  // namespace

ImportReport import_types(const ImportOptions& o, const ImportProgress& progress) {
  check_typed_options(o);
  const bool folder = o.typed_edges.empty();
  TypedFiles files = folder ? list_ogb_types(o.edges, o.split_name) : files_of_options(o);
  check_type_names(o, files, folder ? o.edges : "--edges");
  TypedGraph graph;
  for (NodeTypeFiles& type : files.nodes) graph.nodes.emplace_back().files = std::move(type);
  for (EdgeTypeFile& type : files.edges) graph.edges.emplace_back().files = std::move(type);
  check_self_loops(o, graph);
  check_typed_names(o, folder, graph);
  open_edges(o, graph);
  bool joined = !joins_by_id(o);
  for (TypedNodes& nodes : graph.nodes) {
    read_nodes(o, progress, nodes);
    joined = joined || !nodes.read->joined().empty();
  }
  if (!joined) graph.nodes.front().read->check_id_column();
  check_feature_names(o, graph);
  read_edges(o, progress, graph);
  const std::optional<bool> dates = have_dates(graph);
  warn_of_sparse_types(graph);
  ImportReport report;
  GraphContent content;
  content.heterogeneous = true;
  content.directed = report.directed = !o.undirected;
  for (TypedNodes& nodes : graph.nodes) add_nodes(o, nodes, content, report);
  for (TypedEdges& edges : graph.edges) add_edges(o, graph, edges, content, report);
  content.metadata = import_metadata(o, o.undirected);
  for (const TypedNodes& nodes : graph.nodes) {
    describe_nodes(nodes.data(), nodes.files.type, content.metadata);
  }
  if (dates) content.metadata[kDatesKey] = *dates ? "true" : "false";
  const auto have_scales = [](const TypedNodes& nodes) {
    return nodes.read->data.standardized_columns || !nodes.read->data.has_features();
  };
  if (std::ranges::all_of(graph.nodes, have_scales)) content.metadata.erase(kFeaturesNormalizedKey);
  report.built.isolated = count_isolated(content);
  TensorWriteOptions output;
  save_graph(o.output, content, output);
  return report;
}

}  // namespace frugal::gnn
