#pragma once
/// Sums over rows.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Blocks of kSumColumns columns and kSumRows rows at a time; blockIdx.y is a part of the rows.
inline constexpr std::uint32_t kSumColumns = 32, kSumRows = 8;

/// Adds what the threads of a column have and leaves it in those of the first row.
FRUGAL_DEVICE float sum_of_column(float x, float* shared) {
  shared[threadIdx.x] = x;
  __syncthreads();
  float sum = 0;
  if (threadIdx.x < kSumColumns) {
    for (std::uint32_t r = 0; r < kSumRows; ++r) sum += shared[threadIdx.x + r * kSumColumns];
  }
  __syncthreads();
  return sum;
}

/// sums [parts, columns] over rows x [rows, stride]; with factors each row's number is multiplied
/// by factors[row, column / group], [rows, columns / group].
FRUGAL_KERNEL column_sums(const std::uint32_t* rows, const float* x, std::uint32_t stride,
                          std::uint32_t columns, const float* factors, std::uint32_t group,
                          float* sums) {
  FRUGAL_SHARED(float, shared, kSumColumns* kSumRows);
  const std::uint32_t column = blockIdx.x * kSumColumns + threadIdx.x % kSumColumns;
  const std::uint32_t step = kSumRows * gridDim.y, n = *rows, groups = columns / group;
  float sum = 0;
  for (std::uint32_t r = blockIdx.y * kSumRows + threadIdx.x / kSumColumns;
       r < n && column < columns; r += step) {
    const float factor =
        factors == nullptr ? 1 : factors[std::uint64_t{r} * groups + column / group];
    sum = fmaf(factor, x[std::uint64_t{r} * stride + column], sum);
  }
  sum = sum_of_column(sum, shared);
  if (threadIdx.x < kSumColumns && column < columns) sums[blockIdx.y * columns + column] = sum;
}

}  // namespace frugal::cuda
