#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace frugal::sparse {

/// Probabilities of labels on held-out examples, counted in steps of a hundredth: what thresholds
/// are chosen by.
class ThresholdCounts {
 public:
  /// training_counts: examples of each label in the training data.
  explicit ThresholdCounts(std::span<const std::uint64_t> training_counts);

  /// A label was ranked with this probability, rightly or not.
  void add(std::uint32_t label, float probability, bool right);
  /// An example has the label, ranked or not.
  void add_actual(std::uint32_t label) { ++actual_[label]; }

  /// With the largest F1 of all labels counted together.
  float best_global() const;
  /// By label: the threshold with the largest F1 of the label's own counts and, as if it had so
  /// many more examples, of the labels with about as many training examples: few counts say
  /// little.
  std::vector<float> best_by_label() const;

 private:
  static constexpr std::size_t kSteps = 100;
  struct Curve {
    double right[kSteps + 1] = {};      ///< from each step on
    double predicted[kSteps + 1] = {};  ///< the same
    double actual = 0;

    void add(const Curve& other, double weight);
    std::size_t best() const;
  };
  Curve curve_of(std::uint32_t label) const;
  std::size_t group_of(std::uint32_t label) const;

  std::span<const std::uint64_t> training_counts_;
  std::vector<std::uint32_t> right_;   ///< [labels, kSteps]
  std::vector<std::uint32_t> ranked_;  ///< [labels, kSteps]
  std::vector<std::uint32_t> actual_;  ///< [labels]
};

}  // namespace frugal::sparse
