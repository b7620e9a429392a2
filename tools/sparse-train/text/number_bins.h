#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace frugal::sparse {

/// The number in a field between separators, as parse_number_between() reads it; NaN for a missing
/// value (is_missing_number()). Nothing for other texts, infinities included.
std::optional<double> parse_value(std::string_view field, char separator);

/// Numbers of some examples: all, or of many examples every second, fourth ... one, enough for
/// quantiles.
class NumberSample {
 public:
  explicit NumberSample(std::size_t num_columns) : num_columns_(num_columns) {}
  /// numbers: [examples, num_columns] of the next examples.
  void add(std::span<const double> numbers);
  std::vector<double> column(std::size_t column) const;

 private:
  std::size_t num_columns_;
  std::size_t every_ = 1;
  std::uint64_t num_examples_ = 0;  ///< seen, not all of them kept
  std::vector<double> kept_;        ///< [examples, num_columns]
};

/// Turns the numbers of one column into features: each number falls into one of up to 32 fine bins
/// and one of up to 8 coarse ones, each four fine bins wide, so that a linear model can follow any
/// curve and still learns from few examples; a missing value is a feature of its own. Bins hold
/// about equally many training examples.
class NumberBins {
 public:
  static constexpr std::size_t kFine = 32;
  static constexpr std::size_t kFinePerCoarse = 4;

  NumberBins() = default;
  NumberBins(std::string column, std::vector<double> edges);
  /// Learns the edges from values of training examples; NaN = missing.
  static NumberBins learn(std::string column, std::vector<double> values);

  const std::string& column() const { return column_; }
  /// Ascending; bin b holds values in [edges[b - 1], edges[b]).
  const std::vector<double>& edges() const { return edges_; }

  /// Features: fine bins, coarse bins, "missing".
  std::size_t num_features() const { return num_fine() + num_coarse() + 1; }
  std::uint64_t hash(std::size_t feature) const;
  /// "price in [2.5, 4)", "price missing".
  std::string name(std::size_t feature) const;

  /// Appends the features of a number (two) or of a missing value (one).
  void append_features(double number, std::vector<std::uint32_t>& features) const;

 private:
  std::size_t num_fine() const { return edges_.size() + 1; }
  std::size_t num_coarse() const { return edges_.size() / kFinePerCoarse + 1; }

  std::string column_;
  std::uint64_t salt_ = 0;
  std::vector<double> edges_;
};

}  // namespace frugal::sparse
