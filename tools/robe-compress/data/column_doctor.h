#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/robe-compress/data/click_encoder.h"

namespace frugal::robe {

/// What is doubtful about the columns that an encoder was fitted to, a sentence each: categories of
/// which nearly every sample has one of its own, and columns that nobody declared whose whole
/// numbers are read as categories.
std::vector<std::string> doubtful_columns(const ClickEncoder& encoder);

/// Says them as warnings.
void warn_of_columns(const ClickEncoder& encoder);

}  // namespace frugal::robe
