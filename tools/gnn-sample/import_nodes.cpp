#include "tools/gnn-sample/import_nodes.h"

#include <algorithm>

#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/data/node_features.h"
#include "tools/gnn-sample/data/node_labels.h"
#include "tools/gnn-sample/data/node_split.h"
#include "tools/gnn-sample/data/reorder_nodes.h"

namespace frugal::gnn {

bool joins_by_id(const ImportOptions& options) {
  return !options.id_columns.empty() && options.id_columns != kNoIdColumn;
}

NodeFiles::NodeFiles(const ImportOptions& options, const ImportProgress& progress, NodeCount& count,
                     NodeNames* names)
    : options_(options),
      progress_(progress),
      count_(count),
      names_(names),
      list_of_names_(options.node_ids) {}

RowNodes NodeFiles::rows_of(const std::string& path) const {
  IdColumn how;
  how.columns = options_.id_columns;
  how.names = names_;
  how.new_names = list_of_names_.empty();
  how.num_nodes_source = list_of_names_;
  if (names_ == nullptr && !count_.source.empty()) {
    how.num_nodes = count_.nodes;
    if (count_.source != "--nodes") how.num_nodes_source = count_.source;
  }
  return {how, path};
}

/// Rows without ids need an order of the nodes.
void NodeFiles::check_order(const RowNodes& rows) const {
  if (rows.by_id() || !joins_by_id(options_)) return;
  if (names_ != nullptr && options_.node_ids.empty()) {
    fail(ExitStatus::usage, rows.path(), ": has no column ", frugal::joined(options_.id_columns),
         ", expected one, or --node-ids to say which row is whose");
  }
  log_info(rows.path(), ": has no column ", frugal::joined(options_.id_columns),
           ": the n-th row is of the n-th node");
}

void NodeFiles::read_features(const std::string& path) {
  features_ = rows_of(path);
  gnn::read_features(
      path, options_.feature, data, [&](std::uint64_t bytes) { progress_("features", bytes); },
      &*features_);
  check_order(*features_);
  if (features_->by_id()) {
    features_->check_complete();
    reorder_nodes(features_->nodes(), data);
    if (names_ != nullptr) list_of_names_ = path;
  }
  count_.agree(data.feature_rows(), path);
}

void NodeFiles::read_labels(const std::string& path) {
  labels_ = rows_of(path);
  data.labels = gnn::read_labels(path, options_.label_column, &*labels_);
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
  fail(ExitStatus::usage, "--id-column is ", frugal::joined(options_.id_columns),
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
