#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace frugal {

/// How many values of a column are unknown to a model.
struct UnknownValues {
  std::string column;
  std::uint64_t unknown = 0;  ///< above 0
  std::uint64_t samples = 0;  ///< values in all
};

/// Logs one line about the columns, the worst first. It is a warning if a model knows at most half
/// of the values of a column. input: the file, for the message.
void say_unknown(std::vector<UnknownValues> columns, const std::string& input);

}  // namespace frugal
