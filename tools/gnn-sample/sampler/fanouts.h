#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace frugal {

/// Neighbours to draw a node, for each hop from the seeds outwards.
using Fanouts = std::vector<std::uint32_t>;

/// A fanout that takes the whole neighbourhood, -1 on the command line.
inline constexpr std::uint32_t kAllNeighbors = 0xffffffff;

/// "15,10,5" or "-1,-1"; fails (usage) with `option` on anything else: fanouts are -1 or at least
/// 1, there are 1 to 16 of them.
Fanouts parse_fanouts(std::string_view text, std::string_view option);
std::string fanouts_text(const Fanouts& fanouts);

}  // namespace frugal
