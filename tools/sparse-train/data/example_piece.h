#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "tools/sparse-train/data/vocabulary.h"

namespace frugal::sparse {

struct BadLine {
  std::uint64_t line = 0;
  std::string problem;  ///< what was found and expected
};

/// The examples of a part of the input.
struct ExamplePiece {
  std::vector<std::uint32_t> num_features;  ///< by example
  std::vector<std::uint32_t> features;      ///< ids, example after example; or
  HashedPiece hashed;                       ///< features whose ids are not known yet
  std::vector<float> values;                ///< as in the input, counts of n-grams; empty: all 1
  std::vector<float> numbers;               ///< by example and column of numbers, not yet in bins
  std::vector<std::uint32_t> num_labels;    ///< by example
  std::vector<std::uint32_t> labels;        ///< ids (XMC) or indices into label_names
  std::vector<std::string> label_names;
  std::vector<BadLine> bad_lines;
  std::uint64_t empty_lines = 0;  ///< which are no examples

  std::size_t size() const { return num_features.size(); }
  /// Bytes of memory, about.
  std::uint64_t memory() const {
    return 8 * num_features.size() + 4 * (features.size() + values.size() + numbers.size()) +
           9 * hashed.size() + 4 * labels.size() + 64 * label_names.size();
  }
};

}  // namespace frugal::sparse
