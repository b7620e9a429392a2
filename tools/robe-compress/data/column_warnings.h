#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/robe-compress/data/click_encoder.h"

namespace frugal::robe {

/// Sentences about doubtful columns of the data that an encoder was fitted to: categories in which
/// nearly every sample has its own value, and undeclared columns of integers that are read as
/// categories.
std::vector<std::string> doubtful_columns(const ClickEncoder& encoder);

/// Logs these sentences as warnings.
void warn_of_columns(const ClickEncoder& encoder);

}  // namespace frugal::robe
