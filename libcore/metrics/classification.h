#pragma once
#include <cstdint>
#include <vector>

namespace frugal {

/// Counts of single-label predictions: accuracy, F1, confusion.
class Confusion {
 public:
  explicit Confusion(std::size_t num_labels)
      : num_labels_(num_labels), counts_(num_labels * num_labels) {}

  void add(std::uint32_t actual, std::uint32_t predicted) {
    ++counts_[actual * num_labels_ + predicted];
  }
  std::uint64_t count(std::size_t actual, std::size_t predicted) const {
    return counts_[actual * num_labels_ + predicted];
  }
  std::uint64_t examples() const;
  double accuracy() const;
  /// Harmonic mean of precision and recall of one label; 0 where both are 0.
  double f1(std::size_t label) const;
  /// Mean of f1 over labels that occur as actual or predicted.
  double macro_f1() const;

 private:
  std::size_t num_labels_;
  std::vector<std::uint64_t> counts_;  ///< [actual, predicted]
};

}  // namespace frugal
