#pragma once
/// Functions between the layers of a click model: dot products of DLRM, cross layers of DCN-v2, the
/// factorisation machine of DeepFM, and the logistic loss. The number of samples is
/// StepValues::rows unless stated otherwise.
#include <cstdint>

#include "libcore/device/cuda/kernels/block_sums.h"
#include "libcore/device/cuda/kernels/step_values.h"
#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Vectors of each sample: the dense one, if there is one, then those of the fields.
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

/// Gradients of the vectors. The gradient of a dense vector, which is an output of ReLU, is zero
/// where the vector is zero.
struct VectorGradients {
  float* dense;
  float* embeddings;

  FRUGAL_DEVICE void put(const Vectors& of, std::uint64_t sample, std::uint32_t v, std::uint32_t d,
                         float gradient) const {
    if (of.dense != nullptr && v == 0) {
      const std::uint64_t at = sample * of.dim + d;
      dense[at] = of.dense[at] > 0 ? gradient : 0;
    } else {
      const std::uint32_t field = of.dense == nullptr ? v : v - 1;
      embeddings[(sample * of.fields + field) * of.dim + d] = gradient;
    }
  }
};

/// A thread's global number, split into a sample and a position in it.
struct SamplePlace {
  std::uint64_t sample;
  std::uint32_t i;
};
FRUGAL_DEVICE SamplePlace sample_place(std::uint32_t width) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  return {at / width, static_cast<std::uint32_t>(at % width)};
}

/// Number of the pair (i, j), row by row of the lower triangle, including (i, i) if `diagonal`.
FRUGAL_DEVICE std::uint32_t pair_number(std::uint32_t i, std::uint32_t j, bool diagonal) {
  return (diagonal ? i * (i + 1) / 2 : i * (i - 1) / 2) + j;
}

inline constexpr std::uint32_t kPairThreads = 128;  ///< threads for the pairs of a sample
inline constexpr std::uint32_t kPairRoom = 6144;    ///< numbers in their shared memory

/// Whether the vectors and `more` numbers of a sample fit into shared memory; if not, they are read
/// from global memory.
inline bool fit_pairs(std::uint32_t vectors, std::uint32_t dim, std::uint32_t more) {
  return std::uint64_t{vectors} * (dim | 1) + more <= kPairRoom;
}
/// Copies number d of vector i to to[i * (dim | 1) + d], by all threads of the block. The odd
/// stride avoids bank conflicts when threads read the same number of several vectors.
FRUGAL_DEVICE void share_vectors(const Vectors& v, std::uint64_t sample, float* to) {
  constexpr std::uint32_t kTogether = 16;  // numbers of a vector that threads read side by side
  for (std::uint32_t d = threadIdx.x % kTogether; d < v.dim; d += kTogether) {
    for (std::uint32_t i = threadIdx.x / kTogether; i < v.count(); i += kPairThreads / kTogether) {
      to[i * (v.dim | 1) + d] = v.vector(sample, i)[d];
    }
  }
}

/// features [samples, width]: the first `passed` numbers unchanged, then the dot products of all
/// pairs; one block of threads per sample.
template <bool kFit>
FRUGAL_KERNEL dot_features(Vectors v, const StepValues* values, bool diagonal, std::uint32_t passed,
                           std::uint32_t width, float* features) {
  FRUGAL_SHARED(float, shared, kFit ? kPairRoom : 1);
  const std::uint64_t sample = blockIdx.x;
  if (sample >= values->rows) return;
  if (kFit) share_vectors(v, sample, shared);
  __syncthreads();
  const auto number = [&](std::uint32_t i, std::uint32_t d) {
    return kFit ? shared[i * (v.dim | 1) + d] : v.vector(sample, i)[d];
  };
  float* out = features + sample * width;
  for (std::uint32_t i = threadIdx.x; i < passed; i += blockDim.x) {
    out[i] = number(i / v.dim, i % v.dim);
  }
  const std::uint32_t same = diagonal ? 1 : 0;
  std::uint32_t i = 0, j = threadIdx.x;
  for (std::uint32_t at = passed + threadIdx.x; at < width; at += blockDim.x, j += blockDim.x) {
    for (; j >= i + same; ++i) j -= i + same;  // to the row of the triangle
    float sum = 0;
    for (std::uint32_t d = 0; d < v.dim; ++d) sum = fmaf(number(i, d), number(j, d), sum);
    out[at] = sum;
  }
}

/// Gradients of the vectors from dfeatures; one block per sample, one thread per number of a
/// vector.
template <bool kFit>
FRUGAL_KERNEL dot_gradients(Vectors v, const StepValues* values, bool diagonal,
                            std::uint32_t passed, std::uint32_t width, const float* dfeatures,
                            VectorGradients out) {
  FRUGAL_SHARED(float, shared, kFit ? kPairRoom : 1);
  const std::uint64_t sample = blockIdx.x;
  if (sample >= values->rows) return;
  const float *from = dfeatures + sample * width, *pairs = from + passed;
  if (kFit) {
    share_vectors(v, sample, shared);
    float* to = shared + v.count() * (v.dim | 1);
    for (std::uint32_t i = threadIdx.x; i < width - passed; i += blockDim.x) to[i] = pairs[i];
    pairs = to;
  }
  __syncthreads();
  for (std::uint32_t n = threadIdx.x; n < v.count() * v.dim; n += blockDim.x) {
    const std::uint32_t i = n / v.dim, d = n % v.dim;
    const auto number = [&](std::uint32_t j) {
      return kFit ? shared[j * (v.dim | 1) + d] : v.vector(sample, j)[d];
    };
    float sum = 0;
    std::uint32_t at = pair_number(i, 0, diagonal);
    for (std::uint32_t j = 0; j < i; ++j, ++at) sum = fmaf(pairs[at], number(j), sum);
    if (diagonal) sum = fmaf(2 * pairs[at], number(i), sum);
    for (std::uint32_t j = i + 1; j < v.count(); ++j) {
      at += diagonal ? j : j - 1;
      sum = fmaf(pairs[at], number(j), sum);
    }
    out.put(v, sample, i, d, n < passed ? sum + from[n] : sum);
  }
}

/// out [samples, vectors * dim] = the vectors, concatenated.
FRUGAL_KERNEL concatenate(Vectors v, const StepValues* values, float* out) {
  const std::uint32_t width = v.count() * v.dim;
  const auto [sample, i] = sample_place(width);
  if (sample >= values->rows) return;
  out[sample * width + i] = v.vector(sample, i / v.dim)[i % v.dim];
}
/// Writes the gradients from + more [samples, vectors * dim]; more may be null.
FRUGAL_KERNEL split_gradient(Vectors v, const StepValues* values, const float* from,
                             const float* more, VectorGradients out) {
  const std::uint32_t width = v.count() * v.dim;
  const auto [sample, i] = sample_place(width);
  if (sample >= values->rows) return;
  const std::uint64_t at = sample * width + i;
  out.put(v, sample, i / v.dim, i % v.dim, more == nullptr ? from[at] : from[at] + more[at]);
}

/// Cross layer: next = x0 z + x, all [samples, width].
FRUGAL_KERNEL cross_forward(const StepValues* values, std::uint32_t width, const float* x0,
                            const float* z, const float* x, float* next) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{values->rows} * width) return;
  next[at] = x0[at] * z[at] + x[at];
}
/// Backward pass from dx of next: dx0 += dx z, dz = dx x0.
FRUGAL_KERNEL cross_backward(const StepValues* values, std::uint32_t width, const float* x0,
                             const float* z, const float* dx, float* dx0, float* dz) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{values->rows} * width) return;
  dx0[at] += dx[at] * z[at];
  dz[at] = dx[at] * x0[at];
}

/// sums [samples, dim] over the vectors; one thread per number.
FRUGAL_KERNEL sum_vectors(Vectors v, const StepValues* values, float* sums) {
  const auto [sample, d] = sample_place(v.dim);
  if (sample >= values->rows) return;
  float sum = 0;
  for (std::uint32_t i = 0; i < v.count(); ++i) sum += v.vector(sample, i)[d];
  sums[sample * v.dim + d] = sum;
}
/// logits = terms of the factorisation machine (Rendle, ICDM 2010, lemma 3.1), where the last
/// number of a vector is its linear weight; one thread per sample.
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
/// Gradient of these terms, plus that of the features, which are the vectors themselves; one thread
/// per number.
FRUGAL_KERNEL machine_gradients(Vectors v, const StepValues* values, const float* sums,
                                const float* dfeatures, const float* dlogits, VectorGradients out) {
  const std::uint32_t width = v.count() * v.dim;
  const auto [sample, i] = sample_place(width);
  if (sample >= values->rows) return;
  const std::uint32_t number = i / v.dim, d = i % v.dim;
  const float factor =
      d + 1 < v.dim ? sums[sample * v.dim + d] - v.vector(sample, number)[d] : 1.0F;
  out.put(v, sample, number, d, dfeatures[sample * width + i] + dlogits[sample] * factor);
}

/// logits += terms.
FRUGAL_KERNEL add_terms(const StepValues* values, const float* terms, float* logits) {
  const std::uint64_t sample = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (sample < values->rows) logits[sample] += terms[sample];
}

/// Logistic losses [samples], and gradients of the mean loss [rows]; one thread per row.
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

/// Sums of an engine since it was created.
struct RunSums {
  double loss;
  std::uint64_t samples, steps;
};

/// Adds n losses of a step with `samples` samples to the sums, by one block of kCount threads,
/// always in the same order.
template <unsigned kCount = kThreads>
FRUGAL_DEVICE void add_to_sums(std::uint32_t n, std::uint32_t samples, const double* losses,
                               RunSums* sums) {
  double sum = 0;
  for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) sum += losses[i];
  sum = block_sum<kCount>(sum);
  if (threadIdx.x != 0) return;
  sums->loss += sum;
  sums->samples += samples;
  ++sums->steps;
}

/// Adds one loss per sample.
FRUGAL_KERNEL add_losses(const StepValues* values, const double* losses, RunSums* sums) {
  add_to_sums(values->samples, values->samples, losses, sums);
}
/// Adds n losses that do not belong to single samples.
FRUGAL_KERNEL add_batch_losses(std::uint32_t n, std::uint32_t samples, const double* losses,
                               RunSums* sums) {
  add_to_sums(n, samples, losses, sums);
}

}  // namespace frugal::cuda
