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
  /// Examples that were added.
  std::uint64_t num_examples() const { return num_examples_; }

 private:
  std::size_t num_columns_;
  std::size_t every_ = 1;
  std::uint64_t num_examples_ = 0;  ///< seen, not all of them kept
  std::vector<double> kept_;        ///< [examples, num_columns]
};

/// Turns the numbers of one column into features that are there or not, around edges that part the
/// training examples into about equal groups. A missing value is a feature of its own.
class NumberFeatures {
 public:
  /// Groups for a table of that size: 32, 16 for more than two million numbers, 8 for more than 256
  /// columns of numbers, whose features would take much memory.
  static std::size_t groups_for(std::size_t num_columns, std::uint64_t num_examples);

  /// steps: a number has a feature "at least the edge" for each edge it reaches, so that a linear
  /// model follows any curve and prefers even ones, and one that all numbers have. bins, of models
  /// of earlier versions: one feature for the group the number is in, and one for four neighbouring
  /// groups.
  enum class Kind { steps, bins };

  NumberFeatures() = default;
  NumberFeatures(std::string column, Kind kind, std::vector<double> edges);
  /// Learns the edges of steps, at most groups - 1, from values of training examples; NaN =
  /// missing.
  static NumberFeatures learn(std::string column, std::vector<double> values, std::size_t groups);

  const std::string& column() const { return column_; }
  Kind kind() const { return kind_; }
  /// Ascending; group g holds values in [edges[g - 1], edges[g]).
  const std::vector<double>& edges() const { return edges_; }

  /// Number of different features; the last one is "missing".
  std::size_t num_features() const;
  std::uint64_t hash(std::size_t feature) const;
  /// "price >= 2.5", "price in [2.5, 4)", "price there", "price missing".
  std::string name(std::size_t feature) const;

  /// Appends the features of a number, NaN if it is missing, in ascending order.
  void append_features(double number, std::vector<std::uint32_t>& features) const;

 private:
  std::size_t num_groups() const { return edges_.size() + 1; }
  std::string name_of_groups(std::size_t begin, std::size_t end) const;

  std::string column_;
  Kind kind_ = Kind::steps;
  std::uint64_t salt_ = 0;
  std::vector<double> edges_;
};

}  // namespace frugal::sparse
