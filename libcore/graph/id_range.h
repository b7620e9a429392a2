#pragma once
#include <cstdint>
#include <string>

namespace frugal {

/// Fails (bad_input) where numbers of nodes are surely names: the largest id is above a hundred
/// million, and all edges, or events, could name but a thousandth of the nodes below it. To be
/// called before anything of that size is made.
void check_id_range(const std::string& path, std::uint64_t nodes, std::uint64_t edges);

}  // namespace frugal
