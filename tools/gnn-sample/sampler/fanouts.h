#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::gnn {

/// Neighbours to draw a node, for each hop from the seeds outwards.
using Fanouts = std::vector<std::uint32_t>;

/// A fanout that takes the whole neighbourhood, -1 on the command line.
inline constexpr std::uint32_t kAllNeighbors = 0xffffffff;

/// Whether it has more than zeros.
bool is_followed(const Fanouts& fanouts);

/// "15,10,5" or "-1,-1"; fails (usage) with `option` on anything else: fanouts are -1 or at least
/// `least`, there are 1 to 16 of them.
Fanouts parse_fanouts(std::string_view text, std::string_view option, std::uint32_t least = 1);

/// Of each of `edge_types` its fanouts: those of the items "EDGE_TYPE=10,5" of `typed`, which may
/// be 0 (such edges are not followed in that hop, "EDGE_TYPE=0": in none), else `fanouts`. Fails
/// (usage) on types that are not there or named twice, other numbers of hops, and where nothing is
/// followed.
std::vector<Fanouts> parse_type_fanouts(const std::vector<std::string>& typed,
                                        std::string_view fanouts,
                                        const std::vector<std::string>& edge_types);
std::string fanouts_text(const Fanouts& fanouts);

}  // namespace frugal::gnn
