#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"

namespace frugal {

/// Rows of `dim` floats, each followed by its optimiser's state and padded to cache lines. A step
/// so touches neighbouring lines instead of two places in memory (dim 15 and one float of state are
/// one line). Initially zero. The first columns of all rows may be stored as bf16, in half of the
/// memory; such rows are read and written as copies.
class RowTable {
 public:
  RowTable() = default;
  RowTable(std::size_t rows, std::size_t dim, std::size_t state_size, std::size_t half_columns = 0)
      : rows_(rows),
        dim_(dim),
        state_size_(state_size),
        half_columns_(half_columns),
        stride_((state_begin() + state_size + kLine - 1) / kLine * kLine),
        data_(rows * stride_),
        begin_(data_.data()) {}
  /// Rows without state and padding that lie elsewhere, [rows, dim], and outlive the table: only
  /// for reading.
  static RowTable view_of(MatrixView<const float> rows);

  std::size_t rows() const { return rows_; }
  std::size_t dim() const { return dim_; }
  std::size_t state_size() const { return state_size_; }
  /// Number of leading columns stored as bf16.
  std::size_t half_columns() const { return half_columns_; }
  std::size_t stride() const { return stride_; }  ///< floats from one row to the next

  // Row `r`, only for a table without bf16 columns.
  float* row(std::size_t r) {
    assert(half_columns_ == 0);
    return begin_of(r);
  }
  const float* row(std::size_t r) const {
    assert(half_columns_ == 0);
    return begin_of(r);
  }
  float* state(std::size_t r) { return begin_of(r) + state_begin(); }
  const float* state(std::size_t r) const { return begin_of(r) + state_begin(); }

  /// Copies row `r` to out[0, dim).
  void read(std::size_t r, float* out) const;
  /// Writes row `r`. `key` determines the stochastic rounding of bf16 columns
  /// (Kernels::to_bf16_at_random).
  void write(std::size_t r, const float* values, std::uint32_t key);
  /// Rows [begin, end): a view of the table, or a copy in `room` if it has bf16 columns.
  MatrixView<const float> rows_between(std::size_t begin, std::size_t end,
                                       std::vector<float>& room) const;
  void prefetch(std::size_t r) const {
    const float* row = begin_of(r);
    for (std::size_t i = 0; i < stride_; i += kLine) __builtin_prefetch(row + i);
  }

  const float* data() const { return begin_; }
  float* data() { return data_.data(); }
  /// The parameters, [rows, dim], only for a table without bf16 columns.
  MatrixView<float> weights() {
    assert(half_columns_ == 0);
    return {data_.data(), rows_, dim_, stride_};
  }
  MatrixView<const float> weights() const {
    assert(half_columns_ == 0);
    return {begin_, rows_, dim_, stride_};
  }
  /// The state, [rows, state_size].
  MatrixView<float> states() { return {data_.data() + state_begin(), rows_, state_size_, stride_}; }
  MatrixView<const float> states() const {
    return {begin_ + state_begin(), rows_, state_size_, stride_};
  }

 private:
  static constexpr std::size_t kLine = 16;  ///< floats in a cache line

  float* begin_of(std::size_t r) {
    assert(r < rows_);
    return data_.data() + r * stride_;
  }
  const float* begin_of(std::size_t r) const {
    assert(r < rows_);
    return begin_ + r * stride_;
  }
  /// Floats before the f32 columns, and before the state.
  std::size_t half_floats() const { return (half_columns_ + 1) / 2; }
  std::size_t state_begin() const { return half_floats() + dim_ - half_columns_; }

  std::size_t rows_ = 0;
  std::size_t dim_ = 0;
  std::size_t state_size_ = 0;
  std::size_t half_columns_ = 0;
  std::size_t stride_ = 0;
  Array<float> data_;
  const float* begin_ = nullptr;  ///< data_, or rows that lie elsewhere
};

}  // namespace frugal
