#pragma once
#include <cstdint>
#include <string>

#include "libcore/nn/checkpoint.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/network.h"

namespace frugal::sparse {

/// What a checkpoint holds: all tables with the optimiser's state, and the steps done. Random
/// numbers are functions of (seed, step), so nothing else is needed to go on to the same bits. The
/// tables are lent: the document is good until the next step.
Document training_state(const Network& network, std::uint64_t step);

/// Puts a checkpoint's tables into `network`; returns the steps done. Fails (bad_input) naming
/// `path` where tensors do not fit.
std::uint64_t restore_training_state(const Document& state, const std::string& path,
                                     Network& network);

}  // namespace frugal::sparse
