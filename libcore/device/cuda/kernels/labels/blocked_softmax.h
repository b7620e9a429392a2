#pragma once
/// Losses over many labels whose logits are computed for one block of labels at a time
/// (sparse-train's blocked_output.h). The softmax needs two passes over the blocks; one-vs-all
/// needs only the second. For each example:
///
///     labels    | block 0 | block 1 | block 2 | ...     logits z, computed again in each pass
///     pass 1      m, s, t   the largest z, the sum of exp(z - m), the sum of z over own labels
///                           next block (m', s', t'):  M = max(m, m')
///                                                     s = s exp(m - M) + s' exp(m' - M)
///                                                     m = M, t = t + t'
///     loss        m + log(s) - t / (number of own labels)
///     pass 2      dz = exp(z - m) / s - (1 / (number of own labels) for an own label)
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/kernels/block_sums.h"

namespace frugal::cuda {

/// Largest number of labels in a block.
inline constexpr std::uint32_t kMostColumns = 32768;

/// Numbers that a thread loads at once; rows of logits must begin at a multiple of them.
inline constexpr std::uint32_t kLogitsAtOnce = 4;
struct alignas(kLogitsAtOnce * sizeof(float)) LogitGroup {
  float z[kLogitsAtOnce];
};

/// Logits [examples, columns] of labels [begin, begin + columns), rows `stride` numbers apart.
struct LogitBlock {
  float* logits;
  std::uint32_t begin, columns, stride;
  const std::uint32_t* examples;  ///< number of examples, on the device

  FRUGAL_BOTH float* row(std::uint32_t example) const {
    return logits + std::uint64_t{example} * stride;
  }
  /// Calls use(column, logit) for each logit of an example, by a block of threads. kStores: use()
  /// may change the logit.
  template <bool kStores = false, class Use>
  FRUGAL_DEVICE void for_each(std::uint32_t example, const Use& use) const {
    auto* groups = reinterpret_cast<LogitGroup*>(row(example));
    for (std::uint32_t j = kLogitsAtOnce * threadIdx.x; j < columns;
         j += kLogitsAtOnce * blockDim.x) {
      LogitGroup group = groups[j / kLogitsAtOnce];
      for (std::uint32_t i = 0; i < kLogitsAtOnce; ++i) {
        if (j + i < columns) use(j + i, group.z[i]);
      }
      if (kStores) groups[j / kLogitsAtOnce] = group;
    }
  }
};

/// Distinct labels of each example: labels [offsets[e], offsets[e + 1]); null: none.
struct OwnLabels {
  const std::uint32_t *offsets, *labels;
  FRUGAL_BOTH std::uint32_t count(std::uint32_t example) const {
    return offsets[example + 1] - offsets[example];
  }
  /// Calls use(column, label) for an example's own labels in a block of logits, by a block of
  /// threads.
  template <class Use>
  FRUGAL_DEVICE void for_each(const LogitBlock& block, std::uint32_t example,
                              const Use& use) const {
    if (offsets == nullptr) return;
    for (std::uint32_t i = offsets[example] + threadIdx.x; i < offsets[example + 1];
         i += blockDim.x) {
      const std::uint32_t j = labels[i] - block.begin;  // wraps round below the block
      if (j < block.columns) use(j, labels[i]);
    }
  }
};

/// Results of the first pass over the blocks so far, [examples] each: the largest logit, the sum of
/// exp(logit - largest), and the sum of the logits of own labels.
struct Normalisers {
  float* largest;
  double *sum, *own;
};

/// A thread's share of the sum of the logits of an example's own labels in a block.
FRUGAL_DEVICE float own_logits(const LogitBlock& block, const OwnLabels& own,
                               std::uint32_t example) {
  const float* z = block.row(example);
  float sum = 0;
  own.for_each(block, example, [&](std::uint32_t j, std::uint32_t) { sum += z[j]; });
  return sum;
}

/// First pass over a block of labels; one block of threads per example.
FRUGAL_KERNEL add_to_normalisers(LogitBlock block, OwnLabels own, Normalisers so_far) {
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;  // the whole block
  float high = -INFINITY, sum = 0;
  block.for_each(example, [&](std::uint32_t, float z) { high = z > high ? z : high; });
  high = block_max(high);
  block.for_each(example, [&](std::uint32_t, float z) { sum += expf(z - high); });
  sum = block_sum(sum);
  const float of_own = block_sum(own_logits(block, own, example));
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
  so_far.sum[example] = so_far.sum[example] * static_cast<double>(expf(before - both)) +
                        static_cast<double>(sum * expf(high - both));
  so_far.own[example] += of_own;
}

/// losses [examples]: mean of -log(softmax) over the own labels, 0 without any; one thread per
/// example.
FRUGAL_KERNEL softmax_losses(const std::uint32_t* examples, OwnLabels own, Normalisers of_all,
                             double* losses) {
  const std::uint32_t e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= *examples) return;
  const std::uint32_t count = own.count(e);
  losses[e] = count == 0 ? 0
                         : static_cast<double>(of_all.largest[e]) + log(of_all.sum[e]) -
                               of_all.own[e] / count;
}

/// Second pass: replaces logits by gradients of the sum of the losses; one block of threads per
/// example.
FRUGAL_KERNEL softmax_gradients(LogitBlock block, OwnLabels own, Normalisers of_all) {
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;
  const std::uint32_t count = own.count(example);
  const float largest = of_all.largest[example];
  const float scale = count == 0 ? 0 : static_cast<float>(1 / of_all.sum[example]);
  block.for_each<true>(example, [&](std::uint32_t, float& z) { z = expf(z - largest) * scale; });
  __syncthreads();
  const float share = 1.0F / static_cast<float>(count);
  own.for_each(block, example,
               [&](std::uint32_t j, std::uint32_t) { block.row(example)[j] -= share; });
}

/// For a softmax over sampled labels, whose biases were lowered by log_inclusion [labels]: adds it
/// back to an example's own labels, which are always included. One block of threads per example.
FRUGAL_KERNEL correct_own_logits(LogitBlock block, OwnLabels own, const float* log_inclusion) {
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;
  own.for_each(block, example, [&](std::uint32_t j, std::uint32_t label) {
    block.row(example)[j] += log_inclusion[label];
  });
}

FRUGAL_DEVICE float log_of_one_and_exp(float logit) {
  return (logit > 0 ? logit : 0.0F) + log1pf(expf(logit > 0 ? -logit : logit));
}

/// One-vs-all: adds the block's losses, and replaces logits by gradients; one block of threads per
/// example. With log_inclusion, a label included by chance counts exp(-log_inclusion) times.
FRUGAL_KERNEL one_vs_all_gradients(LogitBlock block, OwnLabels own, const float* log_inclusion,
                                   double* losses) {
  FRUGAL_SHARED(std::uint8_t, is_own, kMostColumns);
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;
  for (std::uint32_t j = threadIdx.x; j < block.columns; j += blockDim.x) is_own[j] = 0;
  float loss = -own_logits(block, own, example);
  __syncthreads();  // logits are read before they are replaced
  own.for_each(block, example, [&](std::uint32_t j, std::uint32_t) { is_own[j] = 1; });
  __syncthreads();
  block.for_each<true>(example, [&](std::uint32_t j, float& z) {
    const bool by_chance = log_inclusion != nullptr && is_own[j] == 0;
    const float weight = by_chance ? expf(-log_inclusion[block.begin + j]) : 1;
    loss += weight * log_of_one_and_exp(z);
    z = weight / (1.0F + expf(-z)) - static_cast<float>(is_own[j]);
  });
  const double sum = block_sum(loss);
  if (threadIdx.x == 0) losses[example] = block.begin == 0 ? sum : losses[example] + sum;
}

}  // namespace frugal::cuda
