#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"

namespace frugal::sparse {

/// Rows of a matrix rounded to 4 bits, each with its own scale, and how far that can move a product
/// with any vector. A pass over them reads an eighth of the memory of the floats.
class NibbleRows {
 public:
  /// rows: [n, depth + 1], the last column a bias that stays as it is.
  explicit NibbleRows(MatrixView<const float> rows);

  std::size_t size() const { return size_; }
  /// size() and some rows of padding.
  std::size_t padded_size() const { return scale_.size(); }

  struct Scores {
    /// [padded_size()] of the product z of each row, with its error's mean taken away, and half its
    /// variance, so that exp(estimate) is exp(z) on average. Padding: -infinity.
    std::vector<float> estimate;
    std::vector<float> highest;  ///< [padded_size() / kNibbleRows] no product of a panel is above
    // How much rounding lowered a product, as multiples of the row's error:
    float most = 0, mean = 0, deviation = 0;
    std::vector<std::int8_t> x;  ///< the rounded vector
  };
  /// Products of all rows with (x, 1). x: [depth].
  void score(std::span<const float> x, Scores& scores) const;
  /// No less than the product of the row.
  float highest(std::size_t row, const Scores& s) const {
    const float e = error_[row];
    return s.estimate[row] + (s.most - s.mean) * e + s.deviation * s.deviation / 2 * e * e;
  }
  float typical_error() const { return typical_error_; }  ///< root of the mean square

 private:
  /// steps: room for as many numbers as values.
  void round_row(std::size_t row, std::span<const float> values, float* steps);
  void measure_losses(MatrixView<const float> rows);

  std::size_t size_;
  std::size_t depth_;   ///< columns without the bias
  std::size_t padded_;  ///< the same as a multiple of eight
  Array<std::uint8_t> panels_;
  Array<float> scale_, bias_;
  Array<float> error_;  ///< no less than the length of what rounding took away
  float typical_error_ = 0;
  // [depth] what rounding took away in each column, of a row of error 1:
  std::vector<double> mean_, variance_;
};

}  // namespace frugal::sparse
