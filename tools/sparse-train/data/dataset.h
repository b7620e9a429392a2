#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace frugal {

/// Labelled sparse examples in memory, in the order of the input: two CSR matrices.
/// Example i has features[feature_begin[i] .. feature_begin[i+1]) with the same range of values (no
/// values at all: every value is 1) and labels[label_begin[i] .. label_begin[i+1]).
struct Dataset {
  std::vector<std::uint64_t> feature_begin{0};
  std::vector<std::uint32_t> features;
  std::vector<float> values;
  std::vector<std::uint64_t> label_begin{0};
  std::vector<std::uint32_t> labels;
  std::uint32_t num_features = 0;  ///< features are in [0, num_features)
  std::uint32_t num_labels = 0;    ///< labels are in [0, num_labels)

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

}  // namespace frugal
