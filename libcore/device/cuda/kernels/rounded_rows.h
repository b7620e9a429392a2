#pragma once
/// bf16 copies for products: of rows, and of gradients, with masks and column sums.
#include <cstdint>

#include "libcore/device/cuda/kernels/column_sums.h"
#include "libcore/device/cuda/kernels/product.h"

namespace frugal::cuda {

/// to [rows, to_stride] = x [rows, stride] rounded to bf16; one thread per number.
FRUGAL_KERNEL round_rows(const float* x, std::uint32_t stride, std::uint32_t rows,
                         std::uint32_t columns, std::uint16_t* to, std::uint32_t to_stride) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t row = i / columns, column = i % columns;
  if (row < rows) to[row * to_stride + column] = rounded_to_bf16(x[row * stride + column]);
}

/// Rows of f32 or (half) bf16.
struct MixedRows {
  const void* data;
  std::uint32_t stride;
  bool half;
  FRUGAL_DEVICE float at(std::uint64_t row, std::uint32_t column) const {
    return number_at(data, half, row * stride + column);
  }
};

/// Rounds a gradient dy [rows, columns] to bf16; zero where mask [rows, columns] is not above zero
/// (null data: no mask). `to` may be dy. sums [gridDim.y, columns], or null: sums of its columns,
/// not rounded. Launched as column_sums().
FRUGAL_KERNEL round_gradients(const std::uint32_t* rows, MixedRows dy, MixedRows mask,
                              std::uint32_t columns, std::uint16_t* to, std::uint32_t to_stride,
                              float* sums) {
  const std::uint32_t column = blockIdx.x * kSumColumns + threadIdx.x % kSumColumns;
  float sum = sum_of_rows<float>(
      column < columns ? *rows : 0,
      [&](std::uint64_t r) {
        const float g = dy.at(r, column);
        return mask.data == nullptr || mask.at(r, column) > 0 ? g : 0;
      },
      [&](std::uint64_t r, float g) { to[r * to_stride + column] = rounded_to_bf16(g); });
  if (sums == nullptr) return;  // the whole grid
  sum = sum_of_column(sum);
  if (threadIdx.x < kSumColumns && column < columns) sums[blockIdx.y * columns + column] = sum;
}

}  // namespace frugal::cuda
