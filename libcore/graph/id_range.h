#pragma once
#include <cstdint>
#include <string>

namespace frugal {

/// Fails (bad_input) if node ids must be names rather than numbers: the largest exceeds a hundred
/// million, and the edges, or events, could use at most a thousandth of the ids. Call it before
/// allocating anything of that size.
void check_id_range(const std::string& path, std::uint64_t nodes, std::uint64_t edges);

}  // namespace frugal
