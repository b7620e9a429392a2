#pragma once
#include <cstdint>
#include <string>

#include "tools/tgn-train/evaluation/evaluation_parts.h"
#include "tools/tgn-train/links/link_data.h"

namespace frugal::tgn {

/// Negatives of a kind: historical or inductive (PairNegatives), or of a file that RankSource
/// reads: the first node of each row. uniform: null. data: outlives them. Fails (usage) for another
/// word, and as RankSource for a file.
GivenNegative given_negatives(const std::string& kind, const LinkData& data, std::uint64_t seed);

}  // namespace frugal::tgn
