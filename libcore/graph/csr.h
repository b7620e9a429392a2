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

/// A graph by its in-edges (compressed sparse rows), somewhere else in memory or in a mapped file:
/// neighbors[offsets[v] .. offsets[v + 1]) are the sources of the edges into v, ascending unless
/// the edges have times, which then ascend. An undirected graph has each edge in both rows.
struct CsrView {
  std::span<const EdgeId> offsets;    ///< [nodes + 1], from 0, never falling
  std::span<const NodeId> neighbors;  ///< [edges]

  std::size_t num_nodes() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t num_edges() const { return neighbors.size(); }
  /// Below 2^32: graph files with longer rows are refused.
  std::uint32_t degree(NodeId v) const {
    assert(v < num_nodes());
    return static_cast<std::uint32_t>(offsets[v + 1] - offsets[v]);
  }
  std::span<const NodeId> row(NodeId v) const { return neighbors.subspan(offsets[v], degree(v)); }
};

/// A number of each edge; their sum is 0 where each edge is there in both directions, as often.
inline std::uint64_t one_way(NodeId source, NodeId target) {
  return mix64(std::uint64_t{source} << 32 | target) - mix64(std::uint64_t{target} << 32 | source);
}

/// Whether what a file gives as a graph is one: offsets from 0, never falling, up to the number of
/// edges; rows below 2^32 edges; neighbours below num_sources (the number of nodes, or where edges
/// join two types of nodes, that of the sources' type) and, if `sorted`, ascending in each row.
/// Fails (bad_input) with `name`, the row and the value.
void check_csr(const CsrView& graph, std::uint64_t num_sources, bool sorted,
               const std::string& name);

/// Whether the times [edges] of a valid graph ascend in each row and are numbers. Fails likewise.
void check_times(const CsrView& graph, std::span<const double> times, const std::string& name);

}  // namespace frugal
