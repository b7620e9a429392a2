#pragma once
#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

namespace frugal {

/// A row-major matrix that it does not own: element (r, c) is data[r * stride + c]. Pass it by
/// value. MatrixView<const float> is a view of constant elements.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;  ///< elements from one row to the next, >= cols

  MatrixView() = default;
  MatrixView(T* data_, std::size_t rows_, std::size_t cols_)
      : MatrixView(data_, rows_, cols_, cols_) {}
  MatrixView(T* data_, std::size_t rows_, std::size_t cols_, std::size_t stride_)
      : data(data_), rows(rows_), cols(cols_), stride(stride_) {}
  /// A view of mutable elements is also a view of const ones.
  operator MatrixView<const T>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data, rows, cols, stride};
  }

  T* row(std::size_t r) const {
    assert(r < rows);
    return data + r * stride;
  }
  std::span<T> row_span(std::size_t r) const { return {row(r), cols}; }
  T& operator()(std::size_t r, std::size_t c) const {
    assert(c < cols);
    return row(r)[c];
  }
  /// Rows [begin, end).
  MatrixView rows_between(std::size_t begin, std::size_t end) const {
    assert(begin <= end && end <= rows);
    return {data + begin * stride, end - begin, cols, stride};
  }
};

}  // namespace frugal
