#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::gnn {

/// Number of neighbours to draw for a node, for each hop from the seeds outwards.
using Fanouts = std::vector<std::uint32_t>;

/// A fanout that takes the whole neighbourhood, -1 on the command line.
inline constexpr std::uint32_t kAllNeighbors = 0xffffffff;

/// True unless all fanouts are 0.
bool is_followed(const Fanouts& fanouts);

/// Parses "15,10,5" or "-1,-1": 1 to 16 fanouts, each -1 or at least `least`. Fails (usage) with
/// `option` on anything else.
Fanouts parse_fanouts(std::string_view text, std::string_view option, std::uint32_t least = 1);

/// Fanouts of each of `edge_types`: from the item "EDGE_TYPE=10,5" in `typed`, otherwise `fanouts`.
/// A 0 does not follow these edges in that hop; "EDGE_TYPE=0" in none. Fails (usage) on types that
/// do not exist or are named twice, on different numbers of hops, and if no edges are followed.
std::vector<Fanouts> parse_type_fanouts(const std::vector<std::string>& typed,
                                        std::string_view fanouts,
                                        const std::vector<std::string>& edge_types);
std::string fanouts_text(const Fanouts& fanouts);

}  // namespace frugal::gnn
