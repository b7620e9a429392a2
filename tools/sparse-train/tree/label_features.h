#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// Sparse vectors: row r is features[begin[r] .. begin[r + 1]) and the same range of values.
struct SparseRows {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> features;
  std::vector<float> values;
  std::uint32_t num_features = 0;

  std::size_t size() const { return begin.size() - 1; }
};

/// Examples of each label in CSR form, ascending.
struct LabelExamples {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> examples;

  std::span<const std::uint32_t> of(std::uint32_t label) const {
    return {examples.data() + begin[label], examples.data() + begin[label + 1]};
  }
};
LabelExamples examples_of_labels(const Dataset& data);

/// Feature vector of each label: the sum of its examples' vectors, each scaled to length 1, itself
/// scaled to length 1 ("positive instance feature aggregation", Yu et al., PECOS, JMLR 2022,
/// section 4.1; Prabhu et al., Parabel, WWW 2018, section 3.1). Labels without examples, and those
/// whose sum is 0, have no features. Uses all threads.
SparseRows label_features(const Dataset& data);

}  // namespace frugal::sparse
