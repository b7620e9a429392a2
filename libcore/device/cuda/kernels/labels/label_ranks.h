#pragma once
/// The k labels with the largest logits of each example, best first, ties by the smaller label.
/// Logits come one block of labels at a time: sparse-train's predictor.h.
#include "libcore/device/cuda/kernels/labels/blocked_softmax.h"

namespace frugal::cuda {

struct RankedLabel {
  float score;
  std::uint32_t label;
};

FRUGAL_DEVICE bool ranks_before(const RankedLabel& a, const RankedLabel& b) {
  return a.score != b.score ? a.score > b.score : a.label < b.label;
}

/// Largest lists that a block of threads sorts at a time; k plus a chunk of kThreads must fit.
inline constexpr std::uint32_t kFewRanked = 512, kManyRanked = 2048;
inline constexpr std::uint32_t kMostRanks = kManyRanked / 2;

/// Sorts with a bitonic network (Batcher, 1968) of kSize, a power of two, by all threads of a
/// block.
template <std::uint32_t kSize>
FRUGAL_DEVICE void sort_ranked(RankedLabel* list) {
  for (std::uint32_t run = 2; run <= kSize; run *= 2) {
    for (std::uint32_t step = run / 2; step != 0; step /= 2) {
      for (std::uint32_t i = threadIdx.x; i < kSize; i += blockDim.x) {
        const std::uint32_t other = i ^ step;
        if (other <= i) continue;
        const bool forward = (i & run) == 0;
        if (ranks_before(list[other], list[i]) == forward) {
          const RankedLabel moved = list[i];
          list[i] = list[other];
          list[other] = moved;
        }
      }
      __syncthreads();
    }
  }
}

/// best [examples, k]: the best labels of the blocks so far; one block of threads per example.
template <std::uint32_t kSize>
FRUGAL_KERNEL rank_labels(LogitBlock block, std::uint32_t k, RankedLabel* best) {
  FRUGAL_SHARED(RankedLabel, list, kSize);
  FRUGAL_SHARED(std::uint32_t, count, 1);
  const std::uint32_t example = blockIdx.x;
  if (example >= *block.examples) return;  // the whole block
  const RankedLabel none{-INFINITY, 0xffffffffU};
  RankedLabel* mine = best + std::uint64_t{example} * k;
  const float* z = block.row(example);
  for (std::uint32_t i = threadIdx.x; i < kSize; i += blockDim.x) {
    list[i] = i < k && block.begin != 0 ? mine[i] : none;
  }
  if (threadIdx.x == 0) count[0] = k;
  __syncthreads();
  for (std::uint32_t begin = 0; begin < block.columns; begin += blockDim.x) {
    const std::uint32_t j = begin + threadIdx.x;
    const RankedLabel mine_now{j < block.columns ? z[j] : -INFINITY, block.begin + j};
    if (j < block.columns && ranks_before(mine_now, list[k - 1])) {
      list[atomicAdd(count, 1U)] = mine_now;
    }
    __syncthreads();
    // All see one count: nobody changes it between the two barriers.
    const bool full = count[0] + blockDim.x > kSize, last = begin + blockDim.x >= block.columns;
    __syncthreads();
    if (!full && !last) continue;
    sort_ranked<kSize>(list);
    for (std::uint32_t i = k + threadIdx.x; i < kSize; i += blockDim.x) list[i] = none;
    if (threadIdx.x == 0) count[0] = k;
    __syncthreads();
  }
  for (std::uint32_t i = threadIdx.x; i < k; i += blockDim.x) mine[i] = list[i];
}

/// Probabilities of the ranked labels: softmax with the normalisers or, if these are null, a
/// logistic function per label. One thread per rank.
FRUGAL_KERNEL finish_ranks(const std::uint32_t* examples, std::uint32_t k, Normalisers of_all,
                           const RankedLabel* best, std::uint32_t* labels, float* scores) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::uint64_t{*examples} * k) return;
  const RankedLabel& r = best[i];
  labels[i] = r.label;
  scores[i] = of_all.sum == nullptr
                  ? 1 / (1 + expf(-r.score))
                  : expf(r.score - of_all.largest[i / k]) / static_cast<float>(of_all.sum[i / k]);
}

}  // namespace frugal::cuda
