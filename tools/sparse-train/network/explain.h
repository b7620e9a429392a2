#pragma once
#include <cstdint>

#include "libcore/nn/embedding_bag.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

/// The shares of a label's logit: value times the derivative of the logit. With the units that are
/// awake for this example the network is a linear function of its input, so they add up exactly.
LabelShares explain_logit(const Network& network, const Bag& bag, std::uint32_t label);

}  // namespace frugal::sparse
