#include "tools/gnn-sample/making/import_parts.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "libcore/system/limits.h"
#include "libcore/tables/column_roles.h"
#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/data/feature_array.h"
#include "tools/gnn-sample/data/graph_file.h"
#include "tools/gnn-sample/formats/node_features.h"
#include "tools/gnn-sample/formats/node_labels.h"
#include "tools/gnn-sample/formats/node_split.h"

namespace frugal::gnn {
namespace {

void move_rows(std::span<const NodeId> new_ids, std::size_t row_bytes, const void* from, void* to) {
  const auto* const source = static_cast<const std::byte*>(from);
  auto* const target = static_cast<std::byte*>(to);
  parallel_for(new_ids.size(), 1024, [&](std::size_t v) {
    std::memcpy(target + new_ids[v] * row_bytes, source + v * row_bytes, row_bytes);
  });
}

template <class T>
void reorder_vector(std::span<const NodeId> new_ids, std::vector<T>& values) {
  if (values.empty()) return;
  std::vector<T> moved(values.size());
  const std::size_t width = values.size() / new_ids.size();
  move_rows(new_ids, width * sizeof(T), values.data(), moved.data());
  values = std::move(moved);
}

}  // namespace

void reorder_nodes(std::span<const NodeId> new_ids, NodeData& data) {
  if (data.sparse.dim != 0) {
    std::vector<NodeId> old(new_ids.size());
    for (std::size_t v = 0; v < new_ids.size(); ++v) old[new_ids[v]] = static_cast<NodeId>(v);
    SparseRows moved;
    moved.assign(data.sparse.view(), old);
    data.sparse = std::move(moved);
  } else if (data.has_features()) {
    Tensor moved = Tensor::make("features", data.features.dtype, data.features.shape);
    move_rows(new_ids, moved.bytes.size() / new_ids.size(), data.features.content().data(),
              moved.bytes.data());
    data.features = std::move(moved);
  }
  if (!data.scales.empty()) {
    Array<float> moved(data.scales.size(), uninitialized);
    move_rows(new_ids, sizeof(float), data.scales.data(), moved.data());
    data.scales = std::move(moved);
  }
  reorder_vector(new_ids, data.labels.classes);
  reorder_vector(new_ids, data.labels.matrix);
  reorder_vector(new_ids, data.labels.values);
  for (auto& split : data.splits) reorder_vector(new_ids, split);
}

std::vector<std::uint64_t> old_ids(std::span<const NodeId> new_ids) {
  std::vector<std::uint64_t> old(new_ids.size());
  for (std::size_t v = 0; v < new_ids.size(); ++v) old[new_ids[v]] = v;
  return old;
}

NodeNames reorder_names(std::span<const NodeId> new_ids, const NodeNames& names) {
  NodeNames moved;
  for (const std::uint64_t v : old_ids(new_ids)) moved.number(names.name(static_cast<NodeId>(v)));
  return moved;
}

void NodeCount::agree(std::uint64_t other, const std::string& other_source) {
  if (source.empty()) {
    nodes = other;
    source = other_source;
  } else if (nodes != other) {
    fail(ExitStatus::bad_input, other_source, ": has ", format_count(other, "node"), ", expected ",
         nodes, " as ", source, source == "--nodes" ? " says" : " has");
  }
}

void warn_of_sparse_ids(const std::string& place, std::uint64_t nodes, std::uint64_t edges) {
  constexpr std::uint64_t kSparseIds = 1000, kIdsAnEdge = 20;
  if (nodes <= kSparseIds || edges == 0 || nodes / kIdsAnEdge <= edges) return;
  log_warning(place, ": ", format_count(edges, "edge"), " and ids up to ", nodes - 1,
              ": nearly all of the nodes have no edge; --ids any numbers those that have some");
}

void check_graph_memory(const std::string& path, std::uint64_t nodes, std::uint64_t edges) {
  constexpr std::uint64_t kNodeBytes = 16, kEdgeBytes = 4;  // at least
  check_memory(
      path + ": a graph of " + format_count(nodes, "node") + " and " + format_count(edges, "edge"),
      nodes * kNodeBytes + edges * kEdgeBytes);
}

BuildOptions build_options(const ImportOptions& o, bool symmetrize) {
  return {.symmetrize = symmetrize,
          .dedupe = o.duplicates != "keep",
          .merge = o.duplicates == "sum" ? MergeWeights::sum : MergeWeights::first,
          .self_loops = o.self_loops == "remove" ? SelfLoops::remove
                        : o.self_loops == "add"  ? SelfLoops::add
                                                 : SelfLoops::keep,
          .edge_ids = o.edge_ids};
}

NodeSet node_set_of(const NodeData& nodes, std::uint64_t size) {
  NodeSet set;
  set.size = size;
  if (nodes.array) {
    set.features = view_of(*nodes.array);
  } else if (nodes.sparse.dim != 0) {
    set.features = nodes.sparse.view();
  } else if (nodes.has_features()) {
    set.features = FeatureView{nodes.features.dtype,
                               nodes.features.content().data(),
                               set.size,
                               static_cast<std::size_t>(nodes.features.shape[1]),
                               {nodes.scales.data(), nodes.scales.size()}};
  }
  set.labels = nodes.labels.classes;
  set.label_matrix = nodes.labels.matrix;
  set.num_classes = nodes.labels.num_classes;
  set.values = nodes.labels.values;
  for (const auto& split : nodes.splits) set.splits.push_back(split);
  return set;
}

Metadata import_metadata(const ImportOptions& o, bool symmetrized) {
  Metadata metadata;
  if (symmetrized) metadata["graph.symmetrized"] = "true";
  if (o.duplicates != "keep") metadata["graph.duplicates"] = o.duplicates;
  if (o.self_loops != "keep") metadata["graph.self_loops"] = o.self_loops;
  if (o.reorder != "none") metadata["graph.order"] = o.reorder;
  if (o.feature.normalize != "none") metadata[kFeaturesNormalizedKey] = o.feature.normalize;
  append_history(metadata, o.history_entry);
  return metadata;
}

void describe_nodes(const NodeData& nodes, const std::string& type, Metadata& metadata) {
  if (!nodes.columns.columns.empty()) {
    metadata[typed_key(kFeatureColumnsKey, type)] = nodes.columns.text();
  }
  std::string names;
  for (const std::string& name : nodes.labels.class_names)
    names += (names.empty() ? "" : "\n") + name;
  if (!names.empty()) metadata[typed_key(kClassNamesKey, type)] = names;
}

void warn_of_duplicates(const ImportOptions& o, const std::string& path, std::uint64_t duplicates,
                        std::uint64_t edges) {
  if (o.duplicates != "keep" || duplicates == 0) return;
  log_warning(path, ": ", duplicates, " of ", edges,
              " edges are there more than once: where the file has both directions, "
              "--duplicates remove merges them");
}

void warn_of_unused_classes(const NodeLabels& labels, const std::string& path) {
  if (labels.classes.empty()) return;
  std::vector<bool> used(labels.num_classes);
  for (const std::int32_t c : labels.classes) {
    if (c >= 0) used[static_cast<std::size_t>(c)] = true;
  }
  const auto count = static_cast<std::uint64_t>(std::count(used.begin(), used.end(), true));
  if (count == used.size()) return;
  log_warning(path, ": has nodes of ", count, " of the classes 0 to ", used.size() - 1,
              "; a model has an output for each, also for those without nodes");
}

bool is_split_file(const std::string& split) {
  return !split.empty() && split != "none" && !parse_split_rule(split);
}

std::string split_file(const ImportOptions& o) { return is_split_file(o.split) ? o.split : ""; }

void split_at_random(const ImportOptions& o, const std::string& split, std::uint64_t nodes,
                     NodeData& data) {
  const bool is_left_open = split.empty() && data.splits.empty() && !data.labels.empty();
  if (!is_left_open && split.empty()) return;
  const auto rule = parse_split_rule(is_left_open ? "0.6,0.2,0.2" : split);
  if (!rule) return;
  data.splits = random_splits(*rule, nodes, data.labels, o.seed, o.num_splits);
  if (!is_left_open) return;
  log_info("no --split: of the nodes with a label 60 % train, 20 % validate and 20 % test");
}

bool has_made_columns(const NodeData& nodes) {
  return !nodes.standardized_columns && !nodes.columns.are_raw();
}

void count_parts(const NodeData& nodes, ImportReport& report) {
  const NodeLabels& labels = nodes.labels;
  for (std::size_t v = 0; v < labels.rows(); ++v) report.labelled += labels.has(v);
  if (!labels.empty()) report.label_type = labels.values.empty() ? "class" : "number";
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

NodeNames listed_names(const std::string& path, bool whole) {
  NodeNames names = read_node_names(path);
  if (names.size() > 1 && is_usual_name(ColumnRole::row_id, names.name(0))) {
    log_warning(path, ": the first line (", names.name(0),
                ") is taken as the name of a node, not of the column");
  }
  if (!whole) return names;
  NodeNames numbers;
  std::deque<std::string> texts;
  for (NodeId v = 0; v < names.size(); ++v) {
    const std::string_view name = names.name(v);
    if (numbers.number(whole_name(name, name, texts)) == v) continue;
    fail(ExitStatus::bad_input, path, ": line ", v + 1, ": '", printable(name),
         "' stands there a second time, expected a different number for each node");
  }
  return numbers;
}

bool joins_by_id(const ImportOptions& options) {
  return !options.id_columns.empty() && options.id_columns != kNoIdColumn;
}

NodeFiles::NodeFiles(const ImportOptions& options, const ImportProgress& progress, NodeCount& count,
                     NodeNaming naming)
    : options_(options),
      progress_(progress),
      count_(count),
      naming_(std::move(naming)),
      list_of_names_(naming_.list) {}

RowNodes NodeFiles::rows_of(const std::string& path) const {
  IdColumn how;
  how.columns = options_.id_columns;
  how.names = naming_.names;
  how.whole_names = naming_.whole;
  how.names_as_written = options_.ids == "text";
  how.new_names = list_of_names_.empty();
  how.num_nodes_source = list_of_names_;
  if (naming_.names == nullptr && !count_.source.empty()) {
    how.num_nodes = count_.nodes;
    if (count_.source != "--nodes") how.num_nodes_source = count_.source;
  }
  return {how, path};
}

/// Rows without ids need an order of the nodes.
void NodeFiles::check_order(const RowNodes& rows) const {
  if (rows.by_id() || !joins_by_id(options_)) return;
  if (naming_.names != nullptr && naming_.list.empty()) {
    fail(ExitStatus::usage, rows.path(), ": has no column ", frugal::joined(options_.id_columns),
         ", expected one, or --node-ids to say which row is whose");
  }
  log_info(rows.path(), ": has no column ", frugal::joined(options_.id_columns),
           ": the n-th row is of the n-th node");
}

namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return a == b || std::filesystem::equivalent(a, b, none);
}

/// The columns that a graph's or a model's features were made from. Nothing for a type whose
/// features are numbers as they stand, if another type of the file has such columns.
std::optional<FeatureColumns> columns_of(const std::string& path, const std::string& type) {
  const Metadata metadata = file_metadata(path);
  const std::string key = typed_key(kFeatureColumnsKey, type);
  const auto found = metadata.find(key);
  if (found != metadata.end()) {
    return FeatureColumns::parse(found->second, path + ": metadata " + key);
  }
  const auto of_type = [](const auto& item) { return item.first.starts_with(kFeatureColumnsKey); };
  if (!type.empty() && std::ranges::any_of(metadata, of_type)) return std::nullopt;
  fail(ExitStatus::usage, "--features-like ", path, ": has no features of a table",
       type.empty() ? "" : " of type " + type, ", expected a graph that has, or its model");
}

}  // namespace

void NodeFiles::read_features(const NodeTypeFiles& files) {
  const std::string& path = files.features;
  features_ = rows_of(path);
  FeatureOptions options = options_.feature;
  options.table.label_column = options_.label_column;
  options.table.split_column = options_.split_column;
  options.table.has_labels = same_file(files.labels, path);
  options.table.has_split = same_file(files.split, path);
  options.table.lenient = !files.type.empty();
  if (!options_.features_like.empty()) {
    options.table.like = columns_of(options_.features_like, files.type);
  }
  gnn::read_features(
      path, options, data, [&](std::uint64_t bytes) { progress_("features", bytes); }, &*features_);
  check_order(*features_);
  if (features_->by_id()) {
    features_->check_complete();
    reorder_nodes(features_->nodes(), data);
    if (naming_.names != nullptr) list_of_names_ = path;
  }
  count_.agree(data.feature_rows(), path);
}

void NodeFiles::read_labels(const std::string& path) {
  labels_ = rows_of(path);
  data.labels = gnn::read_labels(path, options_.label_column, &*labels_, options_.label_type);
  if (options_.label_type == LabelType::automatic && !data.labels.values.empty()) {
    log_info(path, ": labels are numbers to predict, as not all are whole (--label-type class)");
  }
  check_order(*labels_);
  if (!labels_->by_id()) count_.agree(data.labels.rows(), path);
}

void NodeFiles::read_split(const std::string& path) {
  split_ = rows_of(path);
  data.splits = read_splits(path, options_.split_column, &*split_);
  check_order(*split_);
  if (!split_->by_id()) count_.agree(data.splits[0].size(), path);
}

void NodeFiles::check_id_column() const {
  if (!joins_by_id(options_) || !joined().empty()) return;
  fail(ExitStatus::usage, "--columns: the id is ", frugal::joined(options_.id_columns),
       ", expected a column of --features, --labels or --split");
}

std::uint64_t NodeFiles::least_nodes() const {
  std::uint64_t least = 0;
  for (const auto* rows : {&labels_, &split_}) {
    if (*rows && (*rows)->by_id()) least = std::max(least, (*rows)->num_nodes());
  }
  return least;
}

void NodeFiles::place(std::uint64_t nodes) {
  if (labels_ && labels_->by_id()) place_labels(*labels_, nodes, data.labels);
  if (split_ && split_->by_id()) place_splits(*split_, nodes, data.splits);
}

std::vector<std::string> NodeFiles::joined() const {
  std::vector<std::string> names;
  if (features_ && features_->by_id()) names.emplace_back("features");
  if (labels_ && labels_->by_id()) names.emplace_back("labels");
  if (split_ && split_->by_id()) names.emplace_back("split");
  return names;
}

}  // namespace frugal::gnn
