#pragma once
#include <cstdint>
#include <span>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// Copies of some examples, in the order given, with the features and labels of all.
Dataset part_of(const Dataset& data, std::span<const std::uint32_t> examples);

}  // namespace frugal::sparse
