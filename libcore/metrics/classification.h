#pragma once
#include <cstdint>
#include <span>
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
  /// An example whose label the model has never seen: a miss without a row of its own.
  void add_unknown(std::uint32_t predicted);

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
  std::vector<std::uint64_t> counts_;   ///< [actual, predicted]
  std::vector<std::uint64_t> unknown_;  ///< by predicted label; empty until needed
};

/// Mean of -ln p of the true class; probabilities are clamped to [1e-15, 1 - 1e-15].
double log_loss(std::span<const float> probability_of_positive,
                std::span<const std::uint8_t> positive);

}  // namespace frugal
