#pragma once
#include <string>
#include <utility>
#include <vector>

namespace frugal::sparse {

/// What is worth telling of the outputs: figures for the log and the result, by name, and sentences
/// for people.
struct OutputFigures {
  std::vector<std::pair<std::string, double>> values;
  std::vector<std::string> remarks;
};

}  // namespace frugal::sparse
