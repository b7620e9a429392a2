#pragma once
/// Losses over many labels, whose logits are there a block of labels at a time. A first pass over
/// the blocks finds each example's normaliser, a second one, of logits computed again, makes their
/// gradients: tools/sparse-train/network/blocked_output.h. One-vs-all needs the second alone.
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// Of a block of labels.
inline constexpr std::uint32_t kMostColumns = 32768;

/// Logits [examples, columns] of labels [begin, begin + columns).
struct LogitBlock {
  float* logits;
  std::uint32_t begin, columns;
  const std::uint32_t* examples;  ///< how many, on the device

  FRUGAL_BOTH float* row(std::uint32_t example) const {
    return logits + std::uint64_t{example} * columns;
  }
};

/// Each example's own labels, once each: labels [offsets[e], offsets[e + 1]).
struct OwnLabels {
  const std::uint32_t *offsets, *labels;
  FRUGAL_BOTH std::uint32_t count(std::uint32_t example) const {
    return offsets[example + 1] - offsets[example];
  }
};

/// Of the blocks so far, [examples] each: the largest logit, the sum of exp(logit - largest), and
/// that of the logits of own labels. log_normalisers() leaves the logarithm of the first two in
/// `sum`.
struct Normalisers {
  float* largest;
  double *sum, *own;
};

/// The sum over a block of kThreads, always in one order; all threads get it.
FRUGAL_DEVICE double sum_of_threads(double x, double* shared) {
  shared[threadIdx.x] = x;
  __syncthreads();
  for (std::uint32_t half = blockDim.x / 2; half != 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = shared[0];
  __syncthreads();
  return sum;
}
FRUGAL_DEVICE float largest_of_threads(float x, float* shared) {
  shared[threadIdx.x] = x;
  __syncthreads();
  for (std::uint32_t half = blockDim.x / 2; half != 0; half /= 2) {
    if (threadIdx.x < half) {
      const float other = shared[threadIdx.x + half];
      if (other > shared[threadIdx.x]) shared[threadIdx.x] = other;
    }
    __syncthreads();
  }
  const float largest = shared[0];
  __syncthreads();
  return largest;
}

/// What a thread sees of the logits of an example's own labels in a block.
FRUGAL_DEVICE double own_logits(const LogitBlock& block, const OwnLabels& own,
                                std::uint32_t example) {
  const float* z = block.row(example);
  double sum = 0;
  for (std::uint32_t i = own.offsets[example] + threadIdx.x; i < own.offsets[example + 1];
       i += blockDim.x) {
    const std::uint32_t j = own.labels[i] - block.begin;  // wraps round below the block
    if (j < block.columns) sum += z[j];
  }
  return sum;
}

/// The first pass over a block of labels; a block of threads an example.
FRUGAL_KERNEL add_to_normalisers(LogitBlock block, OwnLabels own, Normalisers so_far) {
  FRUGAL_SHARED(float, highs, kThreads);
  FRUGAL_SHARED(double, sums, kThreads);
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;  // the whole block
  const float* z = block.row(example);
  float high = -INFINITY;
  for (std::uint32_t j = threadIdx.x; j < block.columns; j += blockDim.x) {
    if (z[j] > high) high = z[j];
  }
  high = largest_of_threads(high, highs);
  double sum = 0;
  for (std::uint32_t j = threadIdx.x; j < block.columns; j += blockDim.x) sum += expf(z[j] - high);
  sum = sum_of_threads(sum, sums);
  const double of_own = sum_of_threads(own_logits(block, own, example), sums);
  if (threadIdx.x != 0) return;
  if (block.begin == 0) {
    so_far.largest[example] = high;
    so_far.sum[example] = sum;
    so_far.own[example] = of_own;
    return;
  }
  const float before = so_far.largest[example];
  const float both = before > high ? before : high;
  so_far.largest[example] = both;
  so_far.sum[example] = so_far.sum[example] * exp(static_cast<double>(before) - both) +
                        sum * exp(static_cast<double>(high) - both);
  so_far.own[example] += of_own;
}

/// The mean over own labels of -log(softmax), 0 without any, [examples]; a thread an example.
FRUGAL_KERNEL log_normalisers(const std::uint32_t* examples, OwnLabels own, Normalisers of_all,
                              double* losses) {
  const std::uint32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= *examples) return;
  const double log_sum = static_cast<double>(of_all.largest[e]) + log(of_all.sum[e]);
  of_all.sum[e] = log_sum;
  const std::uint32_t count = own.count(e);
  losses[e] = count == 0 ? 0 : log_sum - of_all.own[e] / count;
}

/// From logits to gradients of the sum of the losses; a block of threads an example.
FRUGAL_KERNEL softmax_gradients(LogitBlock block, OwnLabels own, const double* log_sums) {
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;
  float* z = block.row(example);
  const std::uint32_t count = own.count(example);
  const double log_sum = log_sums[example];
  for (std::uint32_t j = threadIdx.x; j < block.columns; j += blockDim.x) {
    z[j] = count == 0 ? 0 : expf(static_cast<float>(z[j] - log_sum));
  }
  __syncthreads();
  const float share = 1.0F / static_cast<float>(count);
  for (std::uint32_t i = own.offsets[example] + threadIdx.x; i < own.offsets[example + 1];
       i += blockDim.x) {
    const std::uint32_t j = own.labels[i] - block.begin;
    if (j < block.columns) z[j] -= share;
  }
}

/// A softmax over sampled labels, whose biases are lower by log_inclusion [labels]: an example's
/// own are there for certain and get it back. A block of threads an example.
FRUGAL_KERNEL correct_own_logits(LogitBlock block, OwnLabels own, const float* log_inclusion) {
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;
  for (std::uint32_t i = own.offsets[example] + threadIdx.x; i < own.offsets[example + 1];
       i += blockDim.x) {
    const std::uint32_t j = own.labels[i] - block.begin;
    if (j < block.columns) block.row(example)[j] += log_inclusion[own.labels[i]];
  }
}

FRUGAL_DEVICE double log_of_one_and_exp(double logit) {
  return (logit > 0 ? logit : 0.0) + log1p(exp(logit > 0 ? -logit : logit));
}

/// Takes 1 from the gradients of an example's own labels, all of which are there, and leaves the
/// example's loss, of which a thread has `loss`.
FRUGAL_DEVICE void finish_one_vs_all(const LogitBlock& block, const OwnLabels& own, double loss,
                                     double* sums, double* losses) {
  const std::uint32_t example = blockIdx.x;
  loss = sum_of_threads(loss, sums);
  for (std::uint32_t i = own.offsets[example] + threadIdx.x; i < own.offsets[example + 1];
       i += blockDim.x) {
    const std::uint32_t j = own.labels[i] - block.begin;
    if (j < block.columns) block.row(example)[j] -= 1;
  }
  if (threadIdx.x == 0) losses[example] = block.begin == 0 ? loss : losses[example] + loss;
}

/// One-vs-all: adds the block's losses, and makes gradients of logits; a block of threads an
/// example.
FRUGAL_KERNEL one_vs_all_gradients(LogitBlock block, OwnLabels own, double* losses) {
  FRUGAL_SHARED(double, sums, kThreads);
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;
  float* z = block.row(example);
  double loss = -own_logits(block, own, example);
  __syncthreads();  // logits are read before they are replaced
  for (std::uint32_t j = threadIdx.x; j < block.columns; j += blockDim.x) {
    loss += log_of_one_and_exp(z[j]);
    z[j] = 1.0F / (1.0F + expf(-z[j]));
  }
  finish_one_vs_all(block, own, loss, sums, losses);
}

/// The same over sampled labels: one that is there by chance stands for exp(-log_inclusion) labels.
FRUGAL_KERNEL sampled_one_vs_all_gradients(LogitBlock block, OwnLabels own,
                                           const float* log_inclusion, double* losses) {
  FRUGAL_SHARED(double, sums, kThreads);
  FRUGAL_SHARED(std::uint8_t, is_own, kMostColumns);
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;
  float* z = block.row(example);
  for (std::uint32_t j = threadIdx.x; j < block.columns; j += blockDim.x) is_own[j] = 0;
  double loss = -own_logits(block, own, example);
  __syncthreads();
  for (std::uint32_t i = own.offsets[example] + threadIdx.x; i < own.offsets[example + 1];
       i += blockDim.x) {
    const std::uint32_t j = own.labels[i] - block.begin;
    if (j < block.columns) is_own[j] = 1;
  }
  __syncthreads();
  for (std::uint32_t j = threadIdx.x; j < block.columns; j += blockDim.x) {
    const float weight = is_own[j] != 0 ? 1 : expf(-log_inclusion[block.begin + j]);
    loss += static_cast<double>(weight) * log_of_one_and_exp(z[j]);
    z[j] = weight / (1.0F + expf(-z[j]));
  }
  finish_one_vs_all(block, own, loss, sums, losses);
}

}  // namespace frugal::cuda
