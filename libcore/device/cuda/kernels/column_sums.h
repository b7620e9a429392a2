#pragma once
/// Column sums over many rows.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// A block of threads covers kSumColumns columns and kSumRows rows at a time; blockIdx.y selects a
/// part of the rows.
inline constexpr std::uint32_t kSumColumns = 32, kSumRows = 8;

/// Parts of a sum over rows: if there are few columns, only these keep a GPU busy.
inline constexpr std::uint32_t kSumParts = 64;
/// Loads that a thread issues before it waits for the first.
inline constexpr std::uint32_t kSumLoads = 8;

/// Sum of term(row) over the thread's rows. Calls use(row, term) for each row after a batch of
/// terms has been loaded.
template <class Sum, class Term, class Use>
FRUGAL_DEVICE Sum sum_of_rows(std::uint32_t rows, const Term& term, const Use& use) {
  const std::uint32_t step = kSumRows * gridDim.y;
  Sum sum = 0;
  for (std::uint32_t begin = blockIdx.y * kSumRows + threadIdx.x / kSumColumns; begin < rows;
       begin += kSumLoads * step) {
    Sum terms[kSumLoads];
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kSumLoads; ++i) {
      const std::uint64_t r = begin + i * step;
      terms[i] = r < rows ? term(r) : Sum{0};
    }
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kSumLoads; ++i) {
      const std::uint64_t r = begin + i * step;
      if (r < rows) use(r, terms[i]);
      sum += terms[i];
    }
  }
  return sum;
}
template <class Sum, class Term>
FRUGAL_DEVICE Sum sum_of_rows(std::uint32_t rows, const Term& term) {
  return sum_of_rows<Sum>(rows, term, [](std::uint64_t, Sum) {});
}

/// Adds the values of all threads of a column; the threads of the first row get the sum.
template <class Sum>
FRUGAL_DEVICE Sum sum_of_column(Sum x) {
  FRUGAL_SHARED(Sum, shared, kSumColumns * kSumRows);
  shared[threadIdx.x] = x;
  __syncthreads();
  Sum sum = 0;
  if (threadIdx.x < kSumColumns) {
    for (std::uint32_t r = 0; r < kSumRows; ++r) sum += shared[threadIdx.x + r * kSumColumns];
  }
  __syncthreads();
  return sum;
}

/// sums [parts, columns] = column sums of x [rows, stride] (+ beta sums). With factors [rows,
/// columns / group], each number is first multiplied by factors[row, column / group].
FRUGAL_KERNEL column_sums(const std::uint32_t* rows, const float* x, std::uint32_t stride,
                          std::uint32_t columns, const float* factors, std::uint32_t group,
                          float beta, float* sums) {
  const std::uint32_t column = blockIdx.x * kSumColumns + threadIdx.x % kSumColumns;
  const std::uint32_t groups = columns / group;
  float sum = sum_of_rows<float>(column < columns ? *rows : 0, [&](std::uint64_t r) {
    const float number = x[r * stride + column];
    return factors == nullptr ? number : number * factors[r * groups + column / group];
  });
  sum = sum_of_column(sum);
  if (threadIdx.x >= kSumColumns || column >= columns) return;
  float& to = sums[blockIdx.y * columns + column];
  to = beta == 0 ? sum : fmaf(beta, to, sum);
}

}  // namespace frugal::cuda
