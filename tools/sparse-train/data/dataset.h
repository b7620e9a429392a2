#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "tools/sparse-train/data/column.h"

namespace frugal::sparse {

/// Labelled sparse examples, in the order of the input: two CSR matrices, in memory or in a mapped
/// file. Example i has features[feature_begin[i] .. feature_begin[i+1]) with the same range of
/// values (no values at all: every value is 1) and labels[label_begin[i] .. label_begin[i+1]).
struct Dataset {
  Column<std::uint64_t> feature_begin{0};
  Column<std::uint32_t> features;
  Column<float> values;
  Column<std::uint64_t> label_begin{0};
  Column<std::uint32_t> labels;
  std::uint32_t num_features = 0;  ///< features are in [0, num_features)
  std::uint32_t num_labels = 0;    ///< labels are in [0, num_labels)
  bool sorted = false;             ///< sort_features() was here: it need not come again
  bool normalized = false;         ///< normalize_rows() was here
  /// Examples whose order an epoch may mix freely; 0 = all. Set where they lie in a file that is
  /// larger than memory.
  std::size_t shuffle_block = 0;

  std::size_t size() const { return feature_begin.size() - 1; }
  std::span<const std::uint32_t> features_of(std::size_t i) const {
    return {features.data() + feature_begin[i], features.data() + feature_begin[i + 1]};
  }
  /// Empty where every value is 1.
  std::span<const float> values_of(std::size_t i) const {
    if (values.empty()) return {};
    return {values.data() + feature_begin[i], values.data() + feature_begin[i + 1]};
  }
  std::span<const std::uint32_t> labels_of(std::size_t i) const {
    return {labels.data() + label_begin[i], labels.data() + label_begin[i + 1]};
  }
};

/// Sorts the features of each example, with their values.
void sort_features(Dataset& data);

/// Scales the values of each example to length 1 (examples without features stay).
void normalize_rows(Dataset& data);

/// Number of examples and a hash of all arrays: equal texts mean equal data.
std::string fingerprint(const Dataset& data);

}  // namespace frugal::sparse
