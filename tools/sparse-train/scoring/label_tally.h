#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace frugal::sparse {

/// For each label, how often it was right, predicted and true: precision, recall and F1.
class LabelTally {
 public:
  struct Counts {
    std::uint64_t hits = 0;
    std::uint64_t predicted = 0;
    std::uint64_t actual = 0;

    double precision() const { return ratio(hits, predicted); }
    double recall() const { return ratio(hits, actual); }
    /// Harmonic mean of the two; 0 where there is no hit.
    double f1() const { return ratio(2 * hits, predicted + actual); }
  };

  LabelTally() = default;
  explicit LabelTally(std::size_t num_labels) : labels_(num_labels) {}

  /// Neither list repeats a label.
  void add(std::span<const std::uint32_t> predicted, std::span<const std::uint32_t> actual);

  const std::vector<Counts>& labels() const { return labels_; }
  /// All labels counted together.
  Counts total() const;
  /// Mean over the labels that were predicted or true at least once.
  double macro_f1() const;

 private:
  static double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  }
  std::vector<Counts> labels_;
};

}  // namespace frugal::sparse
