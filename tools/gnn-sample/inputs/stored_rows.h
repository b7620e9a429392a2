#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/gnn-sample/data/graph_content.h"
#include "tools/gnn-sample/inputs/trained_rows.h"

namespace frugal::gnn {

/// The embedding of a trained model with what its nodes were called: their names, ids or numbers.
class StoredRows {
 public:
  /// Copies the tensors of a model file that begin with the prefix. Fails (bad_input) with `path`
  /// unless they are an embedding of that size and, if nodes have names or ids, one for each row.
  StoredRows(const Document& document, const std::string& path, std::size_t size,
             std::string prefix = kInputPrefix);

  /// Writes the row of each node of a set to out, [nodes, size], on all threads. A node that the
  /// model does not know gets the mean of the rows of its in-neighbours in `edges` that it does
  /// know; without any, the mean of all rows. edges: null if there are none between these nodes.
  /// Returns the number of such nodes.
  std::uint64_t write(const NodeSet& nodes, const CsrView* edges, MatrixView<float> out) const;

 private:
  void view_identities(const std::string& path);
  MatrixView<const float> rows() const;

  std::string prefix_;
  Document document_;
  NodeSet nodes_;  ///< what the nodes are called; borrows the document
};

}  // namespace frugal::gnn
