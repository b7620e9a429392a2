#pragma once
#include <span>
#include <string>

#include "libcore/graph/csr.h"

namespace frugal {

/// Whether what a file gives as a graph is one: offsets from 0, never falling, up to the number of
/// edges; rows below 2^32 edges; neighbours below num_sources (the number of nodes, or where edges
/// join two types of nodes, that of the sources' type) and, if `sorted`, ascending in each row.
/// Fails (bad_input) with `name`, the row and the value.
void check_csr(const CsrView& graph, std::uint64_t num_sources, bool sorted,
               const std::string& name);

/// Whether the times [edges] of a valid graph ascend in each row and are numbers. Fails likewise.
void check_times(const CsrView& graph, std::span<const double> times, const std::string& name);

}  // namespace frugal
