#pragma once
#include <vector>

#include "libcore/tables/unknown_values.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/click_parser.h"

namespace frugal::robe {

/// The columns that have any. ids by count: others know every value.
std::vector<UnknownValues> unknown_values(const ClickEncoder& encoder, const UnknownCounts& counts);

/// Counts the values without a row in the samples of which the encoder was made: they are rare.
std::vector<UnknownValues> rare_values(const ClickEncoder& encoder);

}  // namespace frugal::robe
