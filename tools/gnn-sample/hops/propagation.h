#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/network/gnn_options.h"

namespace frugal::gnn {

/// The sparse matrix P of HopOperator, [nodes, nodes]. row: row v is the mean over the
/// in-neighbours of v. symmetric: GCN's row with a self-loop, 1 / sqrt((d_v + 1) (d_u + 1)) for a
/// neighbour u. With weights of edges, these are GcnConv's and SageConv's of such edges.
class Propagation {
 public:
  /// weights: [edges], or empty. Borrows the arrays.
  Propagation(const CsrView& graph, std::span<const float> weights, HopOperator kind);

  /// The weight of a node's own row.
  float own(std::size_t node) const {
    if (roots_.empty()) return 0;
    const float square = roots_[node] * roots_[node];
    return own_.empty() ? square : own_[node] * square;
  }
  /// Calls body(neighbour, weight) for each edge of a node. The weight of an edge to itself that
  /// own() stands for is 0.
  template <class Body>
  void for_each_edge(std::size_t node, const Body& body) const {
    const float share = roots_.empty() ? row_share(node) : 0;
    for (EdgeId e = graph_.offsets[node]; e < graph_.offsets[node + 1]; ++e) {
      const NodeId j = graph_.neighbors[e];
      const float weight = weights_.empty() ? 1 : weights_[e];
      const float factor = roots_.empty() ? share : j == node ? 0 : roots_[node] * roots_[j];
      body(j, factor * weight);
    }
  }

  /// Computes out = P x, on all threads. Both are [nodes, columns].
  void multiply(MatrixView<const float> x, MatrixView<float> out) const;

 private:
  float row_share(std::size_t node) const;

  const CsrView graph_;
  std::span<const float> weights_;  ///< of the edges; or empty
  std::vector<float> roots_;        ///< symmetric: 1 / sqrt(degree + 1) of each node
  std::vector<float> own_;          ///< symmetric, with weights: weight of the edge to itself
};

}  // namespace frugal::gnn
