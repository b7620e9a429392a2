#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "libcore/base/hash.h"
#include "libcore/graph/csr.h"

namespace frugal {

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
