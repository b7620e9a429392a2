#pragma once
#include <cstddef>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/network/gnn_options.h"

namespace frugal::gnn {

/// The sparse matrix P of HopOperator, [nodes, nodes]. row: row v is the mean over the
/// in-neighbours of v. symmetric: GCN's row with a self-loop, 1 / sqrt((d_v + 1) (d_u + 1)) for a
/// neighbour u.
class Propagation {
 public:
  Propagation(const CsrView& graph, HopOperator kind);

  /// The weight of a node's own row.
  float own(std::size_t node) const { return roots_.empty() ? 0 : roots_[node] * roots_[node]; }
  /// Calls body(neighbour, weight) for each edge of a node.
  template <class Body>
  void for_each_edge(std::size_t node, const Body& body) const {
    const auto row = graph_.row(static_cast<NodeId>(node));
    const float share = 1 / static_cast<float>(row.size());
    for (const NodeId j : row) {
      if (roots_.empty()) {
        body(j, share);
      } else if (j != node) {
        body(j, roots_[node] * roots_[j]);
      }
    }
  }

  /// Computes out = P x, on all threads. Both are [nodes, columns].
  void multiply(MatrixView<const float> x, MatrixView<float> out) const;

 private:
  const CsrView graph_;
  std::vector<float> roots_;  ///< symmetric: 1 / sqrt(degree + 1) of each node
};

}  // namespace frugal::gnn
