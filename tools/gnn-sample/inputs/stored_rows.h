#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// The embedding of a trained model with what its nodes were called: their names, ids or numbers.
class StoredRows {
 public:
  /// Copies the tensors "input.*" of a model file. Fails (bad_input) with `path` unless they are an
  /// embedding of that size and, if nodes have names or ids, one for each row.
  StoredRows(const Document& document, const std::string& path, std::size_t size);

  /// Writes the row of each node of a graph to out, [nodes, size], on all threads. A node that the
  /// model does not know gets the mean of the rows of its in-neighbours that it does know; without
  /// any, the mean of all rows. Returns the number of such nodes.
  std::uint64_t write(const StoredGraph& graph, MatrixView<float> out) const;

 private:
  void view_identities(const std::string& path);
  MatrixView<const float> rows() const;

  Document document_;
  NodeSet nodes_;  ///< what the nodes are called; borrows the document
};

}  // namespace frugal::gnn
