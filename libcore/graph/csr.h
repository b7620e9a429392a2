#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libcore/base/hash.h"

namespace frugal {

using NodeId = std::uint32_t;
using EdgeId = std::uint64_t;

/// A view of a graph by its in-edges (compressed sparse rows), in memory or in a mapped file.
/// neighbors[offsets[v] .. offsets[v + 1]) are the sources of the edges into v. They ascend, unless
/// the edges have times, which then ascend. An undirected graph has each edge in both rows.
struct CsrView {
  std::span<const EdgeId> offsets;    ///< [nodes + 1], begins with 0, never decreases
  std::span<const NodeId> neighbors;  ///< [edges]

  std::size_t num_nodes() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t num_edges() const { return neighbors.size(); }
  /// Number of in-edges, below 2^32: graph files with longer rows are refused.
  std::uint32_t degree(NodeId v) const {
    assert(v < num_nodes());
    return static_cast<std::uint32_t>(offsets[v + 1] - offsets[v]);
  }
  std::span<const NodeId> row(NodeId v) const { return neighbors.subspan(offsets[v], degree(v)); }
};

/// Hash of an edge whose sum over all edges is 0 if each edge occurs equally often in both
/// directions.
inline std::uint64_t one_way(NodeId source, NodeId target) {
  return mix64(std::uint64_t{source} << 32 | target) - mix64(std::uint64_t{target} << 32 | source);
}

/// Checks a graph read from a file. Offsets must begin with 0, never decrease and end with the
/// number of edges; rows must have fewer than 2^32 edges. Neighbours must be below num_sources (the
/// number of nodes, or of nodes of the sources' type) and, if `sorted`, ascend in each row. Fails
/// (bad_input) with `name`, the row and the value.
void check_csr(const CsrView& graph, std::uint64_t num_sources, bool sorted,
               const std::string& name);

/// Checks that the times [edges] of a valid graph are numbers and ascend in each row. Fails
/// likewise.
void check_times(const CsrView& graph, std::span<const double> times, const std::string& name);

}  // namespace frugal
