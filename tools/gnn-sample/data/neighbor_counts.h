#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"

namespace frugal::gnn {

/// The in-degree of each node, edges from a node to itself left out: what GCN normalises with.
std::vector<std::uint32_t> neighbor_counts(const CsrView& graph);

/// In-degree of a node whose edges have weights, in two parts.
struct WeightedDegree {
  double neighbors = 0;  ///< sum of the weights of its in-edges, but for those from itself
  double own = 1;        ///< weight of the edge from itself; 1 if there is none

  double total() const { return neighbors + own; }
};

/// The weighted degree of each node. weights: [edges].
std::vector<WeightedDegree> weighted_degrees(const CsrView& graph, std::span<const float> weights);

/// Numbers that layers read of a graph beside its edges; the caller owns the arrays.
struct EdgeData {
  std::span<const float> weights;          ///< [edges] of the layers; empty if they read none
  std::span<const std::uint32_t> degrees;  ///< neighbor_counts()
  std::span<const WeightedDegree> weighted_degrees;  ///< if there are weights; or empty
  std::span<const float> features;                   ///< [edges, dim] of the edges; or empty
  std::size_t dim = 0;
};

}  // namespace frugal::gnn
