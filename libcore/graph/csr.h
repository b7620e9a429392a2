#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

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

}  // namespace frugal
