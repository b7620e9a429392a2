#pragma once
#include "tools/gnn-sample/data/feature_store.h"
#include "tools/gnn-sample/data/stored_graph.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// The features of a graph's nodes side by side with those of their neighbourhoods, X, P X, ...,
/// P^k X with k = options.hops: the inputs of SIGN (Frasca et al., arXiv 2004.11198, equation 4),
/// SAGN and HOGA. A row of P is the mean over a node's in-neighbours, 0 if there are none (row), or
/// GCN's row with its self-loop (symmetric, as GcnConv), or the same of weighted edges
/// (options.edge_weights). With ppr the hops are X, Z_1, ..., Z_k, where Z_i+1 = 0.9 P Z_i + 0.1 X
/// with the symmetric P. Dense rows are in a file without a name if `residence` is mapped, or
/// automatic and they take more than half of the free memory. Sparse features make sparse rows in
/// memory, which are not shifted to a mean of 0. Each hop of a node then keeps its 256 largest
/// numbers, from which the next hop is made. Results are the same to the bit for any number of
/// threads and wherever the rows are.
///
/// An empty scaling is set to that of these features: the mean of each column and 1 / (d + 0.05
/// d0), with its deviation d and that of the feature itself, d0; otherwise it is applied as it is.
FeatureStore make_hop_features(const StoredGraph& graph, const GnnOptions& options,
                               Residence residence, HopScaling& scaling);
/// Replaces the features of a homogeneous graph by make_hop_features(), and drops the edges, which
/// are then in the features.
void replace_by_hops(StoredGraph& graph, const GnnOptions& options, Residence residence,
                     HopScaling& scaling);

}  // namespace frugal::gnn
