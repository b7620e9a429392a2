#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/build_graph.h"
#include "libcore/graph/node_names.h"
#include "tools/gnn-sample/data/node_data.h"
#include "tools/gnn-sample/formats/id_column.h"
#include "tools/gnn-sample/formats/ogb_folder.h"
#include "tools/gnn-sample/making/import_options.h"

namespace frugal::gnn {

/// True if a value of --split is a file, not a rule and not none.
bool is_split_file(const std::string& split);
/// File of --split; "" if that is a rule or not given.
std::string split_file(const ImportOptions& options);
/// True if there are columns of ids.
bool joins_by_id(const ImportOptions& options);

struct ImportReport {
  std::uint64_t nodes = 0, edges = 0, input_edges = 0;
  BuildReport built;
  bool directed = true;
  std::size_t classes = 0, features = 0, splits = 0;
  std::vector<std::string> feature_columns;         ///< FeatureColumns::summaries()
  std::string label_type = "none";                  ///< class or number, if there are labels
  std::size_t edge_features = 0;                    ///< numbers of an edge
  std::vector<std::string> node_types, edge_types;  ///< if there are several
  std::vector<std::string> joined_by_id;            ///< which of features, labels and split
  std::uint64_t labelled = 0, train = 0, valid = 0, test = 0;  ///< sizes for the first split
};

/// Reports progress: the name of the task, and how much of it is done.
using ImportProgress = std::function<void(const std::string& task, std::uint64_t done)>;

/// Moves the data of each node v to new_ids[v].
void reorder_nodes(std::span<const NodeId> new_ids, NodeData& data);
NodeNames reorder_names(std::span<const NodeId> new_ids, const NodeNames& names);
/// Inverse of new_ids: old number of each new node.
std::vector<std::uint64_t> old_ids(std::span<const NodeId> new_ids);

/// Parts shared by imports of one and of several types of nodes.

/// A number of nodes, and the source that determines it.
struct NodeCount {
  std::uint64_t nodes = 0;
  std::string source;  ///< "": not determined yet

  /// Takes the first number; fails (bad_input) if a later one differs.
  void agree(std::uint64_t other, const std::string& other_source);
};

/// Warns if most ids have no edge.
void warn_of_sparse_ids(const std::string& place, std::uint64_t nodes, std::uint64_t edges);
/// Fails (unavailable) if the graph needs more memory than there is, for example because of one
/// huge id.
void check_graph_memory(const std::string& path, std::uint64_t nodes, std::uint64_t edges);
/// Warns if edges in both directions are there more than once, and --duplicates keeps them.
void warn_of_duplicates(const ImportOptions& options, const std::string& path,
                        std::uint64_t duplicates, std::uint64_t edges);
/// Warns if a class number between others has no node.
void warn_of_unused_classes(const NodeLabels& labels, const std::string& path);

BuildOptions build_options(const ImportOptions& options, bool symmetrize);
/// Views of the data in `nodes`.
NodeSet node_set_of(const NodeData& nodes, std::uint64_t size);
Metadata import_metadata(const ImportOptions& options, bool symmetrized);
/// Adds the names of a node type's classes, and what its features were made from, if there are
/// any. type: "" for a homogeneous graph.
void describe_nodes(const NodeData& nodes, const std::string& type, Metadata& metadata);
/// Splits nodes by a rule of --split. If `split` is "", and the input has labels but no split,
/// labelled nodes are split into training (60 %), validation (20 %) and test (20 %), which is
/// logged.
void split_at_random(const ImportOptions& options, const std::string& split, std::uint64_t nodes,
                     NodeData& data);
/// True if features were made from columns of a table, not taken as they were.
bool has_made_columns(const NodeData& nodes);
void count_parts(const NodeData& nodes, ImportReport& report);

/// Imports a graph of several types, from --edges or an OGB folder.
ImportReport import_types(const ImportOptions& options, const ImportProgress& progress);

/// Names of nodes, if ids are names.
struct NodeNaming {
  NodeNames* names = nullptr;  ///< null if ids are numbers
  bool whole = false;          ///< names are canonical integers: whole_name()
  std::string list;            ///< file of --node-ids with all names in the nodes' order; or ""
};

/// Names of a file, one a line. whole: as in NodeNaming.
NodeNames listed_names(const std::string& path, bool whole);

/// Reads files with data of one node type, and reorders the data by node.
class NodeFiles {
 public:
  /// Borrows all arguments. count: number of nodes, as far as files determine it. If ids are names,
  /// features with ids number the nodes in the order of their rows.
  NodeFiles(const ImportOptions& options, const ImportProgress& progress, NodeCount& count,
            NodeNaming naming);

  /// Reads files.features; columns of labels and splits in the same file are no features.
  void read_features(const NodeTypeFiles& files);
  void read_labels(const std::string& path);
  void read_split(const std::string& path);
  /// Fails (usage) if --columns has an id column that no file has.
  void check_id_column() const;

  bool whole_names() const { return naming_.whole; }
  /// File with all nodes and their names, or "".
  const std::string& list_of_names() const { return list_of_names_; }
  /// Largest id plus one.
  std::uint64_t least_nodes() const;
  /// Reorders data that was read by ids. Must be called once, when all nodes are known.
  void place(std::uint64_t nodes);
  /// Names those of features, labels and split that were read by ids.
  std::vector<std::string> joined() const;

  NodeData data;

 private:
  RowNodes rows_of(const std::string& path) const;
  void check_order(const RowNodes& rows) const;

  const ImportOptions& options_;
  const ImportProgress& progress_;
  NodeCount& count_;
  NodeNaming naming_;
  std::string list_of_names_;
  std::optional<RowNodes> features_, labels_, split_;
};

}  // namespace frugal::gnn
