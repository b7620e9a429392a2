#pragma once
#include <span>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Whether predictions go to a file of that name as a table.
bool is_table(const std::string& path);

/// Writes what the document says of these nodes as CSV with a header: a line for each node, by its
/// name or number in the input, its class by name, what there is of labels, probabilities and
/// embeddings. `class_names`: a line each, or "".
void write_table(const std::string& path, const NodeSet& set, std::span<const NodeId> nodes,
                 const Document& predictions, const std::string& class_names, bool if_changed);

}  // namespace frugal::gnn
