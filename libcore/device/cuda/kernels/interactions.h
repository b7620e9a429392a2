#pragma once
/// What lies between the layers of a click model (tools/robe-compress/network): dot products of
/// DLRM, cross layers of DCN-v2, the factorisation machine of DeepFM, and the logistic loss.
/// Samples are StepValues::rows where nothing else is said.
#include <cstdint>

#include "libcore/device/cuda/kernels/step_values.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// The vectors of each sample: the dense one, where there is one, then the fields'.
struct Vectors {
  const float* dense;       ///< [samples, dim] or null
  const float* embeddings;  ///< [samples, fields, dim]
  std::uint32_t fields, dim;

  FRUGAL_DEVICE std::uint32_t count() const { return fields + (dense == nullptr ? 0 : 1); }
  FRUGAL_DEVICE const float* vector(std::uint64_t sample, std::uint32_t v) const {
    if (dense != nullptr && v == 0) return dense + sample * dim;
    const std::uint32_t field = dense == nullptr ? v : v - 1;
    return embeddings + (sample * fields + field) * dim;
  }
};

/// The gradients of the same.
struct VectorGradients {
  float* dense;
  float* embeddings;

  FRUGAL_DEVICE float* vector(const Vectors& of, std::uint64_t sample, std::uint32_t v) const {
    if (of.dense != nullptr && v == 0) return dense + sample * of.dim;
    const std::uint32_t field = of.dense == nullptr ? v : v - 1;
    return embeddings + (sample * of.fields + field) * of.dim;
  }
};

/// A thread's number among all, split into a sample and a place in it.
struct SamplePlace {
  std::uint64_t sample;
  std::uint32_t i;
};
FRUGAL_DEVICE SamplePlace sample_place(std::uint32_t width) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  return {at / width, static_cast<std::uint32_t>(at % width)};
}

/// The pairs (i, j) are numbered row by row of the lower triangle, with (i, i) where `diagonal`.
FRUGAL_DEVICE std::uint32_t pair_number(std::uint32_t i, std::uint32_t j, bool diagonal) {
  return (diagonal ? i * (i + 1) / 2 : i * (i - 1) / 2) + j;
}
/// i of a pair's number.
FRUGAL_DEVICE std::uint32_t pair_row(std::uint32_t number, bool diagonal) {
  const std::uint32_t shift = diagonal ? 0 : 1;
  auto i =
      static_cast<std::uint32_t>((sqrtf(8.0F * static_cast<float>(number) + 1) - 1) / 2) + shift;
  while (pair_number(i, 0, diagonal) > number) --i;
  while (pair_number(i + 1, 0, diagonal) <= number) ++i;
  return i;
}

/// features [samples, width]: `passed` numbers as they are, then the dot products of all pairs.
FRUGAL_KERNEL dot_features(Vectors v, const StepValues* values, bool diagonal, std::uint32_t passed,
                           std::uint32_t width, float* features) {
  const auto [sample, i] = sample_place(width);
  if (sample >= values->rows) return;
  float result = 0;
  if (i < passed) {
    result = v.vector(sample, i / v.dim)[i % v.dim];
  } else {
    const std::uint32_t row = pair_row(i - passed, diagonal);
    const std::uint32_t column = i - passed - pair_number(row, 0, diagonal);
    const float *x = v.vector(sample, row), *y = v.vector(sample, column);
    for (std::uint32_t d = 0; d < v.dim; ++d) result = fmaf(x[d], y[d], result);
  }
  features[sample * width + i] = result;
}

/// A thread a number of a vector.
FRUGAL_KERNEL dot_gradients(Vectors v, const StepValues* values, bool diagonal,
                            std::uint32_t passed, std::uint32_t width, const float* dfeatures,
                            VectorGradients out) {
  const auto [sample, i] = sample_place(v.count() * v.dim);
  if (sample >= values->rows) return;
  const float* from = dfeatures + sample * width;
  const std::uint32_t number = i / v.dim, d = i % v.dim;
  float sum = 0;
  for (std::uint32_t other = 0; other < v.count(); ++other) {
    const std::uint32_t high = number > other ? number : other,
                        low = number > other ? other : number;
    if (high == low && !diagonal) continue;
    const float weight = from[passed + pair_number(high, low, diagonal)];
    sum = fmaf(high == low ? 2 * weight : weight, v.vector(sample, other)[d], sum);
  }
  if (i < passed) sum += from[i];
  out.vector(v, sample, number)[d] = sum;
}

/// out [samples, vectors * dim].
FRUGAL_KERNEL concatenate(Vectors v, const StepValues* values, float* out) {
  const std::uint32_t width = v.count() * v.dim;
  const auto [sample, i] = sample_place(width);
  if (sample >= values->rows) return;
  out[sample * width + i] = v.vector(sample, i / v.dim)[i % v.dim];
}
FRUGAL_KERNEL split_gradient(Vectors v, const StepValues* values, const float* from,
                             VectorGradients out) {
  const std::uint32_t width = v.count() * v.dim;
  const auto [sample, i] = sample_place(width);
  if (sample >= values->rows) return;
  out.vector(v, sample, i / v.dim)[i % v.dim] = from[sample * width + i];
}

/// next = x0 z + x, of [samples, width].
FRUGAL_KERNEL cross_forward(const StepValues* values, std::uint32_t width, const float* x0,
                            const float* z, const float* x, float* next) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{values->rows} * width) return;
  next[at] = x0[at] * z[at] + x[at];
}
/// From dx of next: dx0 += dx z, dz = dx x0.
FRUGAL_KERNEL cross_backward(const StepValues* values, std::uint32_t width, const float* x0,
                             const float* z, const float* dx, float* dx0, float* dz) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{values->rows} * width) return;
  dx0[at] += dx[at] * z[at];
  dz[at] = dx[at] * x0[at];
}
/// y += x, of [samples, width].
FRUGAL_KERNEL add_numbers(const StepValues* values, std::uint32_t width, const float* x, float* y) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{values->rows} * width) return;
  y[at] += x[at];
}

/// sums [samples, dim] over the vectors; a thread a number.
FRUGAL_KERNEL sum_vectors(Vectors v, const StepValues* values, float* sums) {
  const auto [sample, d] = sample_place(v.dim);
  if (sample >= values->rows) return;
  float sum = 0;
  for (std::uint32_t i = 0; i < v.count(); ++i) sum += v.vector(sample, i)[d];
  sums[sample * v.dim + d] = sum;
}
/// logits = the terms of the factorisation machine (Rendle, ICDM 2010, lemma 3.1), the last of a
/// vector's numbers being its weight; a thread a sample.
FRUGAL_KERNEL machine_terms(Vectors v, const StepValues* values, const float* sums, float* logits) {
  const std::uint64_t sample = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (sample >= values->rows) return;
  const float* sum = sums + sample * v.dim;
  float of_sum = 0, squares = 0;
  for (std::uint32_t d = 0; d + 1 < v.dim; ++d) of_sum = fmaf(sum[d], sum[d], of_sum);
  for (std::uint32_t i = 0; i < v.count(); ++i) {
    const float* x = v.vector(sample, i);
    for (std::uint32_t d = 0; d + 1 < v.dim; ++d) squares = fmaf(x[d], x[d], squares);
  }
  logits[sample] = (of_sum - squares) / 2 + sum[v.dim - 1];
}
/// Adds the gradient of these terms to that of the vectors; a thread a number.
FRUGAL_KERNEL machine_gradients(Vectors v, const StepValues* values, const float* sums,
                                const float* dlogits, VectorGradients out) {
  const auto [sample, i] = sample_place(v.count() * v.dim);
  if (sample >= values->rows) return;
  const std::uint32_t number = i / v.dim, d = i % v.dim;
  const float factor =
      d + 1 < v.dim ? sums[sample * v.dim + d] - v.vector(sample, number)[d] : 1.0F;
  out.vector(v, sample, number)[d] += dlogits[sample] * factor;
}

/// logits += terms, where there are any.
FRUGAL_KERNEL add_terms(const StepValues* values, const float* terms, float* logits) {
  const std::uint64_t sample = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (sample < values->rows) logits[sample] += terms[sample];
}

/// Logistic losses [samples] and gradients of the mean loss, [rows]; a thread a row.
FRUGAL_KERNEL logistic_losses(const StepValues* values, const float* logits, const float* labels,
                              double* losses, float* dlogits) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= values->samples) {
    if (i < values->rows) dlogits[i] = 0;
    return;
  }
  const double logit = logits[i];
  const double z = labels[i] > 0.5F ? -logit : logit;
  losses[i] = (z > 0 ? z : 0.0) + log1p(exp(z > 0 ? -z : z));
  const float share = 1.0F / static_cast<float>(values->samples);
  dlogits[i] = share * (1.0F / (1.0F + expf(-logits[i])) - labels[i]);
}

/// Sums of an engine since its beginning.
struct RunSums {
  double loss;
  std::uint64_t samples, steps;
};

/// Adds n losses of a step of so many samples to the sums: by one block of threads, always in one
/// order.
FRUGAL_DEVICE void add_to_sums(std::uint32_t n, std::uint32_t samples, const double* losses,
                               RunSums* sums, double* parts) {
  double sum = 0;
  for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) sum += losses[i];
  parts[threadIdx.x] = sum;
  __syncthreads();
  for (std::uint32_t half = blockDim.x / 2; half != 0; half /= 2) {
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  sums->loss += parts[0];
  sums->samples += samples;
  ++sums->steps;
}

/// A loss of each sample.
FRUGAL_KERNEL add_losses(const StepValues* values, const double* losses, RunSums* sums) {
  FRUGAL_SHARED(double, parts, kThreads);
  add_to_sums(values->samples, values->samples, losses, sums, parts);
}
/// Losses that are not those of single samples.
FRUGAL_KERNEL add_batch_losses(std::uint32_t n, std::uint32_t samples, const double* losses,
                               RunSums* sums) {
  FRUGAL_SHARED(double, parts, kThreads);
  add_to_sums(n, samples, losses, sums, parts);
}

}  // namespace frugal::cuda
