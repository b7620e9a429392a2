#pragma once
#include <string>

#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Each fails (bad_input) with `place`, which begins the error line, on a violation; all threads
/// look for them.

/// What check_csr() and check_times() say, rows ascending unless there are times; weights and times
/// finite, weights not negative.
void check_edges(const EdgeSet& edges, std::uint64_t num_sources, const std::string& place);

/// Each edge is there in both directions, as often.
void check_undirected(const CsrView& csr, const std::string& place);

/// Offsets ascend from 0 to the number of columns; the columns of a row ascend below view.dim.
void check_sparse(const FeatureView& view, std::span<const std::uint64_t> offsets,
                  std::span<const std::uint32_t> columns, const std::string& place);

/// Labels are -1 or below num_classes, a matrix of them holds 0 and 1, splits 0, 1, 2 and 255.
void check_nodes(const NodeSet& nodes, const std::string& place);

}  // namespace frugal::gnn
