#pragma once
/// Encodings cos(w dt + b) of times (tools/tgn-train/network/time_encoder.h).
#include <cstdint>

#include "libcore/device/cuda/kernels/column_sums.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// What encodes times: w and b [dim].
struct TimeWeights {
  const float *w, *b;
  std::uint32_t dim;
};

/// w dt + b in turns, within half a turn around 0. In double: in float a Unix time is only known to
/// a minute or two.
FRUGAL_DEVICE float turn_of(const TimeWeights& t, std::uint32_t column, double dt) {
  constexpr double kTurnsPerRadian = 0.15915494309189535;
  const double turns = static_cast<double>(t.w[column]) * kTurnsPerRadian * dt +
                       static_cast<double>(t.b[column]) * kTurnsPerRadian;
  return static_cast<float>(turns - rint(turns));
}

/// sin(2 pi x) for x in [-1/4, 1/4]; see libcore/kernels/bodies/times.inl.
FRUGAL_DEVICE float sine_of_turn(float x) {
  const float square = x * x;
  float p = 39.76161706596664F;
  p = fmaf(p, square, -76.58139647439052F);
  p = fmaf(p, square, 81.60248511680511F);
  p = fmaf(p, square, -41.341680722779785F);
  p = fmaf(p, square, 6.28318528036842F);
  return p * x;
}

FRUGAL_DEVICE float encoded_time(const TimeWeights& t, std::uint32_t column, double dt) {
  return sine_of_turn(0.25F - fabsf(turn_of(t, column, dt)));
}

/// out [rows, dim]; dt null: 0 in all rows. A thread a number.
FRUGAL_KERNEL encode_times(TimeWeights t, const std::uint32_t* rows, const double* dt, float* out) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t row = at / t.dim;
  if (row >= *rows) return;
  out[at] = encoded_time(t, static_cast<std::uint32_t>(at % t.dim), dt == nullptr ? 0 : dt[row]);
}

/// Gradients of w and b, [parts, dim] each, by those of the encodings of dt, null: of zeros. parts:
/// gridDim.y.
FRUGAL_KERNEL time_gradients(TimeWeights t, const std::uint32_t* rows, const double* dt,
                             const float* gradient, std::uint32_t stride, float* by_w,
                             float* by_b) {
  const std::uint32_t column = blockIdx.x * kSumColumns + threadIdx.x % kSumColumns;
  float w = 0, b = 0;
  const std::uint32_t step = kSumRows * gridDim.y, n = *rows;
  for (std::uint32_t r = blockIdx.y * kSumRows + threadIdx.x / kSumColumns; r < n && column < t.dim;
       r += step) {
    const double time = dt == nullptr ? 0 : dt[r];
    const float x = turn_of(t, column, time), ahead = fabsf(x), behind = 0.5F - ahead;
    const float sine = sine_of_turn(copysignf(ahead < behind ? ahead : behind, x));
    const float term = sine * gradient[std::uint64_t{r} * stride + column];
    b -= term;
    w -= term * static_cast<float>(time);
  }
  w = sum_of_column(w);
  b = sum_of_column(b);
  if (threadIdx.x >= kSumColumns || column >= t.dim) return;
  by_w[blockIdx.y * t.dim + column] = w;
  by_b[blockIdx.y * t.dim + column] = b;
}

}  // namespace frugal::cuda
