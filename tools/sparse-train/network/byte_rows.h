#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"

namespace frugal {

/// A vector rounded to bytes: values[i] * scale approximates the element.
struct ByteVector {
  std::vector<std::int8_t> values;
  float scale = 0;
  float error = 0;  ///< length of what rounding took away
};

/// Rows of a matrix rounded to bytes, each with its own scale, and how far that can move a product
/// with any vector. A pass over them reads a quarter of the memory of the floats.
class ByteRows {
 public:
  /// rows: [n, depth + 1], the last column a bias that stays as it is.
  explicit ByteRows(MatrixView<const float> rows);

  std::size_t size() const { return size_; }
  /// size() and some rows of padding.
  std::size_t padded_size() const { return scale_.size(); }

  struct Scores {
    std::vector<float> estimate;  ///< [padded_size()]; padding: -infinity
    std::vector<float> highest;   ///< no less than the product in exact arithmetic
    std::vector<std::int8_t> x;   ///< the rounded vector
  };
  /// Products of all rows with (x, 1). x: [depth].
  void score(std::span<const float> x, Scores& scores) const;

 private:
  void round_row(std::size_t row, std::span<const float> values);

  std::size_t size_;
  std::size_t depth_;   ///< columns without the bias
  std::size_t padded_;  ///< the same as a multiple of four
  Array<std::int8_t> panels_;
  Array<float> scale_, total_, bias_;
  Array<float> length_;  ///< of the rounded row
  Array<float> error_;   ///< length of what rounding took away
};

}  // namespace frugal
