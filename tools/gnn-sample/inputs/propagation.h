#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/graph/csr.h"
#include "tools/gnn-sample/layers/gnn_options.h"

namespace frugal::gnn {

/// The sparse matrix P of HopOperator, [nodes, nodes], and the share alpha of the features
/// themselves in each hop. row: row v is the mean over the in-neighbours of v. symmetric: GCN's row
/// with a self-loop, 1 / sqrt((d_v + 1) (d_u + 1)) for a neighbour u. With weights of edges, these
/// are GcnConv's and SageConv's of such edges. ppr: 0.9 of the symmetric matrix, and 0.1 of the
/// features: personalised PageRank by power iteration (APPNP; Gasteiger et al., ICLR 2019, equation
/// 5). alpha is 0 but with ppr.
class Propagation {
 public:
  /// weights: [edges], or empty. Borrows the arrays.
  Propagation(const CsrView& graph, std::span<const float> weights, HopOperator kind);

  float alpha() const { return alpha_; }
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

  /// Computes out = P x + alpha features, on all threads. All are [nodes, columns]; features are
  /// not read if alpha is 0.
  void multiply(MatrixView<const float> x, MatrixView<const float> features,
                MatrixView<float> out) const;

 private:
  float row_share(std::size_t node) const;

  const CsrView graph_;
  std::span<const float> weights_;  ///< of the edges; or empty
  float alpha_ = 0;
  std::vector<float> roots_;  ///< but with row: sqrt((1 - alpha) / (degree + 1)) of each node
  std::vector<float> own_;    ///< the same, with weights: weight of the edge to itself
};

}  // namespace frugal::gnn
