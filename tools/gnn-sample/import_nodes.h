#pragma once
#include <optional>
#include <string>

#include "tools/gnn-sample/data/id_column.h"
#include "tools/gnn-sample/import.h"
#include "tools/gnn-sample/import_parts.h"

namespace frugal::gnn {

/// Reads what files say about the nodes of one type and puts it in their order.
class NodeFiles {
 public:
  /// Borrows all. `count`: how many nodes there are, as far as the files say. `names`: where ids
  /// are names; features by ids number nodes in the order of their rows.
  NodeFiles(const ImportOptions& options, const ImportProgress& progress, NodeCount& count,
            NodeNames* names);

  void read_features(const std::string& path);
  void read_labels(const std::string& path);
  void read_split(const std::string& path);
  /// Fails (usage) where --id-column names a column that none of the files has.
  void check_id_column() const;

  /// The file that has all nodes and their names, or "".
  const std::string& list_of_names() const { return list_of_names_; }
  /// One more than the largest id.
  std::uint64_t least_nodes() const;
  /// Puts what was read by ids where its nodes are; to be called once, when all are known.
  void place(std::uint64_t nodes);
  /// Which of features, labels and split were read by ids.
  std::vector<std::string> joined() const;

  NodeData data;

 private:
  RowNodes rows_of(const std::string& path) const;
  void check_order(const RowNodes& rows) const;

  const ImportOptions& options_;
  const ImportProgress& progress_;
  NodeCount& count_;
  NodeNames* names_;
  std::string list_of_names_;
  std::optional<RowNodes> features_, labels_, split_;
};

}  // namespace frugal::gnn
