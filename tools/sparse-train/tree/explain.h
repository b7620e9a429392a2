#pragma once
#include <cstdint>
#include <span>

#include "tools/sparse-train/scoring/scorer.h"
#include "tools/sparse-train/tree/label_forest.h"

namespace frugal::sparse {

/// The shares of the margins on the way from the root to a label, summed over the way, mean over
/// the trees that have the label.
LabelShares explain_margins(const LabelForest& forest, std::span<const std::uint32_t> features,
                            std::span<const float> values, std::uint32_t label);

}  // namespace frugal::sparse
