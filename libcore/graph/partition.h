#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/graph/weighted_graph.h"

namespace frugal {

/// random: any part, as many nodes each. ldg: linear deterministic greedy (Stanton and Kliot, KDD
/// 2012). fennel: Tsourakakis et al., WSDM 2014. Both pass over the nodes several times
/// (Nishimura and Ugander, "Restreaming graph partitioning", KDD 2013). multilevel: clusters of
/// label propagation are contracted, the coarsest graph is cut and the cut refined on the way back
/// (Meyerhenke, Sanders, Schulz, "Partitioning complex networks via size-constrained clustering",
/// SEA 2014).
enum class PartitionMethod : std::uint8_t { random, ldg, fennel, multilevel };

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::multilevel;
  std::uint32_t parts = 2;
  /// The heaviest part may have this times the average weight, rounded up.
  double imbalance = 1.05;
  int passes = 10;  ///< of ldg and fennel
  std::uint64_t seed = 0;
};

/// The part of each node. Each edge should be in both rows (see undirected_graph()). weights
/// [nodes]: what the parts are to have equally much of; empty: 1 each. Parts are as balanced as
/// options.imbalance says wherever single nodes are not too heavy for it. Deterministic, one
/// thread.
std::vector<NodeId> partition_graph(const CsrView& graph, std::span<const std::uint32_t> weights,
                                    const PartitionOptions& options);

struct PartitionQuality {
  double cut = 0;  ///< share of edges between parts
  /// Of the heaviest part, relative to the average: 1 is perfect, 0 where there are none.
  double node_balance = 0, edge_balance = 0, marked_balance = 0;
};

/// marked: nodes to be counted apart, such as those for training; [nodes] 0 or 1, or empty. Edges
/// belong to the part of their target.
PartitionQuality measure_partition(const CsrView& graph, std::span<const NodeId> parts,
                                   std::uint32_t num_parts, std::span<const std::uint8_t> marked);

/// partition_graph() for ldg and fennel: the first pass places node after node by its neighbours
/// placed before, later ones take each out and place it again. `capacity`: of a part, in weight.
std::vector<NodeId> stream_partition(const WeightedView& graph, std::uint64_t capacity,
                                     const PartitionOptions& options);

}  // namespace frugal
