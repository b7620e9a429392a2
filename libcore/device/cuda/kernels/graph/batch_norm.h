#pragma once
/// Batch normalisation (libcore/nn/batch_norm.h). Sums over rows are made in parts, which are added
/// in order.
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/kernels/column_sums.h"

namespace frugal::cuda {

/// Moments of a batch and factors derived from them, [dim] each.
struct NormMoments {
  double *mean, *variance;
  /// x inverse + centre has mean 0 and variance 1; the output is x factor + shift.
  float *inverse, *centre, *factor, *shift;
  float *slope, *offset;  ///< offset + slope x is subtracted from dy: its means over the rows
};
struct NormWeights {
  const float *gamma, *beta;
  float *running_mean, *running_variance;
};

/// parts [gridDim.y, dim]: sums of x or, if `mean` is not null, of (x - mean)^2. Launched as
/// column_sums().
FRUGAL_KERNEL norm_sums(std::uint32_t rows, const float* x, std::uint32_t dim, const double* mean,
                        double* parts) {
  const std::uint32_t column = blockIdx.x * kSumColumns + threadIdx.x % kSumColumns;
  const double centre = mean == nullptr || column >= dim ? 0 : mean[column];
  double sum = sum_of_rows<double>(column < dim ? rows : 0, [&](std::uint64_t r) {
    const double number = static_cast<double>(x[r * dim + column]) - centre;
    return mean == nullptr ? number : number * number;
  });
  sum = sum_of_column(sum);
  if (threadIdx.x < kSumColumns && column < dim) parts[blockIdx.y * dim + column] = sum;
}

/// out [dim] = sum of the parts of norm_sums() / rows; one thread per column.
FRUGAL_KERNEL norm_means(std::uint32_t rows, std::uint32_t dim, const double* parts,
                         std::uint32_t num_parts, double* out) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= dim) return;
  double sum = 0;
  for (std::uint32_t p = 0; p < num_parts; ++p) sum += parts[p * dim + c];
  out[c] = sum / static_cast<double>(rows == 0 ? 1 : rows);
}

/// Computes the factors from m.mean and m.variance; one thread per column.
FRUGAL_KERNEL norm_factors(std::uint32_t dim, NormWeights w, NormMoments m) {
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= dim) return;
  const double inverse = 1 / sqrt(m.variance[c] + 1e-5);
  const double factor = static_cast<double>(w.gamma[c]) * inverse;
  m.inverse[c] = static_cast<float>(inverse);
  m.centre[c] = static_cast<float>(-m.mean[c] * inverse);
  m.factor[c] = static_cast<float>(factor);
  m.shift[c] = static_cast<float>(static_cast<double>(w.beta[c]) - m.mean[c] * factor);
}

/// y [rows, dim] = the normalised x; one thread per number.
FRUGAL_KERNEL normalize_rows(std::uint32_t rows, std::uint32_t dim, NormMoments m, const float* x,
                             float* y) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{rows} * dim) return;
  const auto c = static_cast<std::uint32_t>(at % dim);
  y[at] = fmaf(x[at], m.factor[c], m.shift[c]);
}

/// Computes the gradients of gamma and beta in parts [gridDim.y, dim]. Launched as column_sums().
FRUGAL_KERNEL norm_gradients(std::uint32_t rows, std::uint32_t dim, NormMoments m, const float* x,
                             const float* dy, float* by_gamma, float* by_beta) {
  const std::uint32_t column = blockIdx.x * kSumColumns + threadIdx.x % kSumColumns;
  const std::uint32_t n = column < dim ? rows : 0;
  const float gamma = sum_of_column(sum_of_rows<float>(n, [&](std::uint64_t r) {
    const std::uint64_t at = r * dim + column;
    return dy[at] * fmaf(x[at], m.inverse[column], m.centre[column]);
  }));
  const float beta =
      sum_of_column(sum_of_rows<float>(n, [&](std::uint64_t r) { return dy[r * dim + column]; }));
  if (threadIdx.x >= kSumColumns || column >= dim) return;
  by_gamma[blockIdx.y * dim + column] = gamma;
  by_beta[blockIdx.y * dim + column] = beta;
}

/// Computes m.slope and m.offset from those parts, and updates the running moments; one thread per
/// column.
FRUGAL_KERNEL norm_slopes(std::uint32_t rows, std::uint32_t dim, NormMoments m, NormWeights w,
                          const float* by_gamma, const float* by_beta, std::uint32_t parts) {
  constexpr float kMomentum = 0.1F;
  const std::uint32_t c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= dim || rows == 0) return;
  float gamma = 0, beta = 0;
  for (std::uint32_t p = 0; p < parts; ++p) {
    gamma += by_gamma[p * dim + c];
    beta += by_beta[p * dim + c];
  }
  const auto n = static_cast<double>(rows);
  const double slope = static_cast<double>(gamma) / n * static_cast<double>(m.inverse[c]);
  m.slope[c] = static_cast<float>(slope);
  m.offset[c] = static_cast<float>(static_cast<double>(beta) / n - m.mean[c] * slope);
  if (rows < 2) return;
  const auto mean = static_cast<float>(m.mean[c]);
  const auto variance = static_cast<float>(m.variance[c] * n / (n - 1));
  w.running_mean[c] += kMomentum * (mean - w.running_mean[c]);
  w.running_variance[c] += kMomentum * (variance - w.running_variance[c]);
}

/// dx [rows, dim] from dy; both may be the same array. One thread per number.
FRUGAL_KERNEL norm_input_gradients(std::uint32_t rows, std::uint32_t dim, NormMoments m,
                                   const float* x, const float* dy, float* dx) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{rows} * dim) return;
  const auto c = static_cast<std::uint32_t>(at % dim);
  dx[at] = m.factor[c] * (dy[at] - m.offset[c] - m.slope[c] * x[at]);
}

}  // namespace frugal::cuda
