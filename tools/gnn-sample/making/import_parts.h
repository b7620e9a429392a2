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
#include "tools/gnn-sample/making/import_options.h"

namespace frugal::gnn {

/// The file of --split, "" where it is a rule or none.
std::string split_file(const ImportOptions& options);
/// Whether there are columns of ids.
bool joins_by_id(const ImportOptions& options);

struct ImportReport {
  std::uint64_t nodes = 0, edges = 0, input_edges = 0;
  BuildReport built;
  bool directed = true;
  std::size_t classes = 0, features = 0, splits = 0;
  std::vector<std::string> node_types, edge_types;             ///< where there are several
  std::vector<std::string> joined_by_id;                       ///< of features, labels, split
  std::uint64_t labelled = 0, train = 0, valid = 0, test = 0;  ///< of the first split
};

/// Reports progress: the name of the task, and how much of it is done.
using ImportProgress = std::function<void(const std::string& task, std::uint64_t done)>;

/// What is known of each node moves with it from v to new_ids[v].
void reorder_nodes(std::span<const NodeId> new_ids, NodeData& data);
NodeNames reorder_names(std::span<const NodeId> new_ids, const NodeNames& names);
/// Of each new node the old one.
std::vector<std::uint64_t> old_ids(std::span<const NodeId> new_ids);

/// What imports of one type and of several types of nodes have in common.

/// A number of nodes and who says so.
struct NodeCount {
  std::uint64_t nodes = 0;
  std::string source;  ///< "": nobody yet

  /// Takes what the first says; fails (bad_input) where another says something else.
  void agree(std::uint64_t other, const std::string& other_source);
};

/// Fails (unavailable) where the graph needs more memory than there is: one id may be a large
/// number. Warns where most of the ids have no edge.
void check_graph_memory(const std::string& path, std::uint64_t nodes, std::uint64_t edges);
/// Warns of classes between others that no node has.
void warn_of_unused_classes(const NodeLabels& labels, const std::string& path);

BuildOptions build_options(const ImportOptions& options, bool symmetrize);
/// Views of what `nodes` holds.
NodeSet node_set_of(const NodeData& nodes, std::uint64_t size);
Metadata import_metadata(const ImportOptions& options, bool symmetrized);
/// Names of the classes of a type of nodes, "" where there is one, if they have some.
void add_class_names(const NodeLabels& labels, const std::string& type, Metadata& metadata);
/// Splits nodes by the rule of --split. Without --split, and where the input has labels but no
/// split, labelled nodes train (60 %), validate (20 %) and test (20 %); this is said.
void split_at_random(const ImportOptions& options, std::uint64_t nodes, NodeData& data);
void count_parts(const NodeData& nodes, ImportReport& report);

/// Graphs of several types, from --edges or a folder of OGB.
ImportReport import_types(const ImportOptions& options, const ImportProgress& progress);

/// Names that stand for nodes, where ids are names.
struct NodeNaming {
  NodeNames* names = nullptr;  ///< or null
  bool whole = false;          ///< names are of whole numbers: whole_name()
};

/// Reads what files say about the nodes of one type and puts it in their order.
class NodeFiles {
 public:
  /// Borrows all. `count`: how many nodes there are, as far as the files say. Where ids are names,
  /// features by ids number nodes in the order of their rows.
  NodeFiles(const ImportOptions& options, const ImportProgress& progress, NodeCount& count,
            NodeNaming naming);

  void read_features(const std::string& path);
  void read_labels(const std::string& path);
  void read_split(const std::string& path);
  /// Fails (usage) where --columns has an id that none of the files has.
  void check_id_column() const;

  bool whole_names() const { return naming_.whole; }
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
  NodeNaming naming_;
  std::string list_of_names_;
  std::optional<RowNodes> features_, labels_, split_;
};

}  // namespace frugal::gnn
