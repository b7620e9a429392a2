#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/gnn-sample/data/class_numbers.h"
#include "tools/gnn-sample/formats/edge_text_options.h"
#include "tools/gnn-sample/formats/node_features.h"

namespace frugal::gnn {

struct ImportOptions {
  std::string edges, output;
  /// Files of graphs with several types: SOURCE:RELATION:TARGET=FILE for edges, and TYPE=FILE or
  /// TYPE=NUMBER for nodes.
  std::vector<std::string> typed_edges, typed_features, typed_labels, typed_splits, typed_nodes,
      typed_node_ids;
  std::string format = "auto";
  std::string features, labels, split;
  std::string edge_features;            ///< file with a row for each edge; "": those of the input
  std::string columns;                  ///< NAME:TYPE,...; take_columns() reads them
  std::vector<std::string> id_columns;  ///< of files of nodes, as in IdColumn
  std::string label_column, split_column, split_name;
  LabelType label_type = LabelType::automatic;
  std::uint64_t num_splits = 1;  ///< random ones
  FeatureOptions feature;
  std::string features_like;  ///< graph whose features' columns are made; ""
  EdgeTextOptions text;
  std::string ids = "number";  ///< any: names or numbers of any kind; text: names as written
  std::string node_ids;        ///< file of names in the order of the nodes; "": none
  bool undirected = false;
  bool reverse_relations = false;  ///< a relation of its own for each relation's other direction
  std::string self_loops = "keep";
  std::string duplicates = "keep";  ///< or remove, or sum: with the sum of their weights
  bool edge_ids = false;
  std::string reorder = "none";
  std::optional<std::uint64_t> nodes;  ///< none: as found
  std::uint64_t seed = 0;
  std::string history_entry;
};

}  // namespace frugal::gnn
