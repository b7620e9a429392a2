#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/build_graph.h"
#include "tools/gnn-sample/data/edge_text.h"
#include "tools/gnn-sample/data/node_features.h"

namespace frugal::gnn {

struct ImportOptions {
  std::string edges, output;
  /// Of graphs of several types: SOURCE:RELATION:TARGET=FILE, and TYPE=FILE or TYPE=NUMBER.
  std::vector<std::string> typed_edges, typed_features, typed_labels, typed_splits, typed_nodes;
  std::string format = "auto";
  std::string features, labels, split;
  std::string columns;                  ///< NAME:TYPE,...; take_columns() reads them
  std::vector<std::string> id_columns;  ///< of files of nodes, as in IdColumn
  std::string label_column, split_column, split_name;
  std::uint64_t num_splits = 1;  ///< random ones
  FeatureOptions feature;
  EdgeTextOptions text;
  std::string ids = "number";  ///< any: names or numbers of any kind; text: names as written
  std::string node_ids;        ///< file of names in the order of the nodes; "": none
  bool undirected = false;
  std::string self_loops = "keep";
  std::string duplicates = "keep";  ///< or remove, or sum: with the sum of their weights
  bool edge_ids = false;
  std::string reorder = "none";
  std::optional<std::uint64_t> nodes;  ///< none: as found
  std::uint64_t seed = 0;
  bool if_changed = false;
  std::string history_entry;
};

/// Sets the columns of edges and nodes to what `columns` declares. Fails (usage).
void take_columns(ImportOptions& options);
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

/// What is being done: name, unit, done so far, of all (0 = unknown).
using ImportProgress = std::function<void(const std::string& task, std::uint64_t done)>;

/// Reads a graph and what is known of its nodes, checks all of it, and writes a graph file. Fails
/// with file and line.
ImportReport import_graph(const ImportOptions& o, const ImportProgress& progress);

}  // namespace frugal::gnn
