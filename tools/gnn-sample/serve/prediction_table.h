#pragma once
#include <span>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// True if the file name ends in .csv: predictions are then written by write_table().
bool is_table(const std::string& path);

/// Writes predictions as CSV with a header and a line for each node. Its columns are the node (its
/// name or number in the input), and class, labels, probabilities and embeddings as far as
/// `predictions` has them. nodes: the nodes of the rows of `predictions`. class_names: one name a
/// line; "": classes are written as numbers.
void write_table(const std::string& path, const NodeSet& set, std::span<const NodeId> nodes,
                 const Document& predictions, const std::string& class_names);

}  // namespace frugal::gnn
