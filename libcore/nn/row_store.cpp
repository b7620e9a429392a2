#include "libcore/nn/row_store.h"

#include "libcore/kernels/gemm.h"
#include "libcore/kernels/kernels.h"

namespace frugal {

void RowStore::resize(std::size_t rows, std::size_t cols) {
  rows_ = rows;
  cols_ = cols;
  stride_ = in_place_stride(cols);
  const std::size_t size = rows * stride_ + kPanelColumns;
  // A quarter more: batches differ a little, and each would take new memory until the largest came.
  if (data_.size() < size) data_ = Array<float>(size + size / 4);
}

}  // namespace frugal
