#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "libcore/base/array.h"
#include "libcore/base/view.h"

namespace frugal {

/// Rows of `dim` floats with the optimiser's state of a row right behind it, padded to cache lines:
/// a step touches neighbouring lines once instead of two places in memory (dim 15 and one float of
/// state are one line). All zero at first.
class RowTable {
 public:
  RowTable() = default;
  RowTable(std::size_t rows, std::size_t dim, std::size_t state_size)
      : rows_(rows),
        dim_(dim),
        state_size_(state_size),
        stride_((dim + state_size + kLine - 1) / kLine * kLine),
        data_(rows * stride_) {}

  std::size_t rows() const { return rows_; }
  std::size_t dim() const { return dim_; }
  std::size_t state_size() const { return state_size_; }
  std::size_t stride() const { return stride_; }

  float* row(std::size_t r) {
    assert(r < rows_);
    return data_.data() + r * stride_;
  }
  const float* row(std::size_t r) const {
    assert(r < rows_);
    return data_.data() + r * stride_;
  }
  float* state(std::size_t r) { return row(r) + dim_; }
  const float* state(std::size_t r) const { return row(r) + dim_; }

  const float* data() const { return data_.data(); }
  float* data() { return data_.data(); }
  /// The parameters: [rows, dim].
  MatrixView<float> weights() { return {data_.data(), rows_, dim_, stride_}; }
  MatrixView<const float> weights() const { return {data_.data(), rows_, dim_, stride_}; }
  /// The state: [rows, state_size].
  MatrixView<float> states() { return {data_.data() + dim_, rows_, state_size_, stride_}; }
  MatrixView<const float> states() const {
    return {data_.data() + dim_, rows_, state_size_, stride_};
  }

 private:
  static constexpr std::size_t kLine = 16;  ///< floats in a cache line
  std::size_t rows_ = 0;
  std::size_t dim_ = 0;
  std::size_t state_size_ = 0;
  std::size_t stride_ = 0;
  Array<float> data_;
};

}  // namespace frugal
