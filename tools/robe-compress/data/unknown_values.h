#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/click_parser.h"

namespace frugal::robe {

/// How many values of a column a model has no row for.
struct UnknownValues {
  std::string column;
  std::uint64_t unknown = 0;  ///< above 0
  std::uint64_t samples = 0;
};

/// The columns that have any. ids by count: others know every value.
std::vector<UnknownValues> unknown_values(const ClickEncoder& encoder, const UnknownCounts& counts);

/// Counts the values without a row in the samples of which the encoder was made: they are rare.
std::vector<UnknownValues> rare_values(const ClickEncoder& encoder);

/// Says them in a line, the worst first: a warning where a model knows less than half of a column.
void say_unknown(std::vector<UnknownValues> columns, const std::string& input);

}  // namespace frugal::robe
