#pragma once
#include <cstddef>

#include "libcore/base/array.h"
#include "libcore/base/view.h"

namespace frugal {

/// Rows of floats that grow with the batches and keep their memory for the next one. They are laid
/// out for products: a whole panel after any column is readable. After resize(), values are
/// undefined, but finite after the columns.
class RowStore {
 public:
  void resize(std::size_t rows, std::size_t cols);
  MatrixView<float> view() { return {data_.data(), rows_, cols_, stride_}; }
  MatrixView<const float> view() const { return {data_.data(), rows_, cols_, stride_}; }
  /// Columns [begin, end).
  MatrixView<float> columns(std::size_t begin, std::size_t end) {
    return {data_.data() + begin, rows_, end - begin, stride_};
  }

 private:
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
  Array<float> data_;
};

}  // namespace frugal
