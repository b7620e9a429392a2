#pragma once
/// Tables of rows followed by their optimiser state, in the layout of libcore/nn/row_table.h, and
/// the optimisers' steps of such rows (libcore/nn/optimizer.h).
#include "libcore/device/cuda/kernels/optimizer.h"
#include "libcore/device/cuda/kernels/random_bits.h"

namespace frugal::cuda {

struct TableRows {
  float* data;
  std::uint32_t stride, dim;
  std::uint32_t halves;  ///< number of leading columns stored as bf16: none, or all but the last

  FRUGAL_BOTH float* row(std::uint32_t r) const { return data + std::uint64_t{r} * stride; }
  FRUGAL_BOTH std::uint32_t half_floats() const { return (halves + 1) / 2; }
  /// Address of a column stored as f32.
  FRUGAL_BOTH float* number(float* row, std::uint32_t column) const {
    return row + half_floats() + column - halves;
  }
  FRUGAL_BOTH float* state(float* row) const { return row + half_floats() + dim - halves; }

  FRUGAL_DEVICE float read(float* row, std::uint32_t column) const {
    if (column >= halves) return *number(row, column);
    const std::uint32_t bits = reinterpret_cast<const std::uint16_t*>(row)[column];
    return __uint_as_float(bits << 16);
  }
  /// key: of the random number for stochastic rounding.
  FRUGAL_DEVICE void write(float* row, std::uint32_t column, float x, std::uint32_t key) const {
    if (column >= halves) {
      *number(row, column) = x;
    } else {
      reinterpret_cast<std::uint16_t*>(row)[column] = bf16_at_random(x, key, column);
    }
  }
};

/// Adagrad's factor of the gradient of a row, where `sum` is its sum of mean squares.
FRUGAL_DEVICE float adagrad_factor(float rate, float sum, float epsilon) {
  return -rate / (sqrtf(sum) + epsilon);
}

/// Steps one number of a row. Rules by_factor multiply the gradient by `factor`; others use rate
/// and the number's own state.
template <Rule kRule>
FRUGAL_DEVICE float stepped(float x, float gradient, float factor, float rate, float* first,
                            float* second, const RuleNumbers& n) {
  if (kByFactor<kRule>) return fmaf(factor, gradient, x);
  step_number<kRule>(&x, first, second, gradient, rate, n);
  return x;
}

}  // namespace frugal::cuda
