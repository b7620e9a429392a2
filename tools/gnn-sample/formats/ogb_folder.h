#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/node_data.h"

namespace frugal::gnn {

/// Files of the nodes of one type; "" = none.
struct NodeTypeFiles {
  std::string type;
  std::optional<std::uint64_t> nodes;
  std::string features, labels, split;
  std::string split_folder;     ///< with train.csv, valid.csv and test.csv of numbers of nodes
  std::string node_ids;         ///< names in the order of the nodes, one a line
  std::string split_rule = {};  ///< of --split, or none; "": as for all types
};

/// The file of the edges from one type to another.
struct EdgeTypeFile {
  std::string source, relation, target, path;
};

/// The files of a graph of several types.
struct TypedFiles {
  std::vector<NodeTypeFiles> nodes;
  std::vector<EdgeTypeFile> edges;
};

/// Whether a folder of the Open Graph Benchmark has a graph of several types (ogbn-mag), and its
/// files.
bool is_typed_ogb(const std::string& path);
TypedFiles list_ogb_types(const std::string& path, const std::string& split_name);

/// The split of a folder with train.csv.gz, valid.csv.gz and test.csv.gz of numbers of nodes.
void read_ogb_split(const std::string& folder, std::uint64_t nodes, NodeData& data);

}  // namespace frugal::gnn
