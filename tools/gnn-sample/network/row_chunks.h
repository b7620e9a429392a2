#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/kernels/gemm.h"

namespace frugal {

/// Rows that are worked on at a time: inputs, outputs and weights of 256 of them stay in a
/// second-level cache of 2 MB.
inline constexpr std::size_t kChunkRows = 256;

/// Calls body(begin, end) for the chunks of rows [0, n), on all threads in any order.
void for_each_chunk(std::size_t n, const std::function<void(std::size_t, std::size_t)>& body);

/// Calls body(group, begin, end) for the chunks of rows [0, n), which are split into at most
/// Weights::kGroups groups: one thread takes the chunks of a group, in order. Groups depend on n
/// alone.
void for_each_grouped_chunk(std::size_t n,
                            const std::function<void(std::size_t, std::size_t, std::size_t)>& body);

/// Rows of floats that grow with the batches and are kept for the next. They lie as products want
/// them; what is in them after resize() is anything, but finite behind the columns.
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
