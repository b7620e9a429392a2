#pragma once
/// Time encodings cos(w dt + b) (tgn-train's time_encoder.h).
#include <cstdint>

#include "libcore/device/cuda/kernels/column_sums.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Weights of a time encoder: w and b, [dim].
struct TimeWeights {
  const float *w, *b;
  std::uint32_t dim;
};

/// w dt + b in turns, reduced to [-1/2, 1/2]. Computed in double: a float knows a Unix time only to
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

/// A column sum over rows x [rows, columns], `stride` apart, to sums [parts, columns]. factors:
/// null, or one for each row and group of columns, [rows, columns / group]. If time.w is not null,
/// it computes gradients of the time encoder instead: of time.w in sums, and of time.b in
/// more_sums. The gradients of the encodings are then x plus `more` (or null), for the times dt
/// [rows], or 0 if dt is null.
struct RowSum {
  const std::uint32_t* rows;
  const float *x, *more;
  std::uint32_t stride, columns;
  const float* factors;
  std::uint32_t group;
  TimeWeights time;
  const double* dt;
  float *sums, *more_sums;

  FRUGAL_BOTH std::uint32_t blocks() const { return (columns + kSumColumns - 1) / kSumColumns; }
};

/// Sums computed by one launch: blocks up to ends[i] of blockIdx.x compute sum i; blockIdx.y is the
/// part.
struct RowSumList {
  static constexpr std::uint32_t kMost = 16;
  RowSum sums[kMost];
  std::uint32_t ends[kMost];
};

/// A sum, and for time encoders that of time.b.
struct TwoSums {
  float first, second;
  FRUGAL_DEVICE TwoSums(float a = 0, float b = 0) : first(a), second(b) {}
  FRUGAL_DEVICE void operator+=(const TwoSums& more) {
    first += more.first;
    second += more.second;
  }
};

/// Term of row r in the sum of a column; time_term() is for time encoders.
FRUGAL_DEVICE float row_term(const RowSum& s, std::uint64_t r, std::uint32_t column) {
  const float d = s.x[r * s.stride + column];
  if (s.factors == nullptr) return d;
  return d * s.factors[r * (s.columns / s.group) + column / s.group];
}
FRUGAL_DEVICE TwoSums time_term(const RowSum& s, std::uint64_t r, std::uint32_t column) {
  const std::uint64_t at = r * s.stride + column;
  const double time = s.dt == nullptr ? 0 : s.dt[r];
  const float d = s.more == nullptr ? s.x[at] : s.x[at] + s.more[at];
  const float x = turn_of(s.time, column, time), ahead = fabsf(x), behind = 0.5F - ahead;
  const float sine = sine_of_turn(copysignf(ahead < behind ? ahead : behind, x));
  return {-sine * d * static_cast<float>(time), -sine * d};
}

FRUGAL_KERNEL sum_rows(const FRUGAL_CONSTANT RowSumList list) {
  std::uint32_t i = 0;
  while (i + 1 < RowSumList::kMost && blockIdx.x >= list.ends[i]) ++i;
  const RowSum& s = list.sums[i];
  const std::uint32_t block = blockIdx.x - (i == 0 ? 0 : list.ends[i - 1]);
  const std::uint32_t column = block * kSumColumns + threadIdx.x % kSumColumns;
  const std::uint32_t rows = column < s.columns ? *s.rows : 0;
  TwoSums sum;
  if (s.time.w == nullptr) {
    sum = sum_of_rows<float>(rows, [&](std::uint64_t r) { return row_term(s, r, column); });
  } else {
    sum = sum_of_rows<TwoSums>(rows, [&](std::uint64_t r) { return time_term(s, r, column); });
  }
  const float first = sum_of_column(sum.first), second = sum_of_column(sum.second);
  if (threadIdx.x >= kSumColumns || column >= s.columns) return;
  s.sums[blockIdx.y * s.columns + column] = first;
  if (s.time.w != nullptr) s.more_sums[blockIdx.y * s.columns + column] = second;
}

}  // namespace frugal::cuda
