#pragma once
/// Sum and maximum over the kCount threads of a block, always in the same order: by CUB, on the
/// host by a loop. All threads of the block must call them; all get the result.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"
#ifdef __CUDACC__
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#endif

namespace frugal::cuda {

#ifdef __CUDACC__
template <unsigned kCount, class T, class Join>
FRUGAL_DEVICE T join_block(T x, const Join& join) {
  using Reduce = cub::BlockReduce<T, kCount>;
  __shared__ typename Reduce::TempStorage room;
  __shared__ T result;
  const T joined = Reduce(room).Reduce(x, join);
  if (threadIdx.x == 0) result = joined;
  __syncthreads();
  x = result;
  __syncthreads();  // the next one writes there
  return x;
}
#else
template <unsigned kCount, class T, class Join>
T join_block(T x, const Join& join) {
  FRUGAL_SHARED(T, all, kCount);
  all[threadIdx.x] = x;
  __syncthreads();
  for (unsigned i = 1; threadIdx.x == 0 && i < kCount; ++i) all[0] = join(all[0], all[i]);
  __syncthreads();
  x = all[0];
  __syncthreads();
  return x;
}
#endif

template <unsigned kCount = kThreads, class T>
FRUGAL_DEVICE T block_sum(T x) {
  return join_block<kCount>(x, [](T a, T b) { return a + b; });
}
template <unsigned kCount = kThreads, class T>
FRUGAL_DEVICE T block_max(T x) {
  return join_block<kCount>(x, [](T a, T b) { return b > a ? b : a; });
}

/// Sum of `value` over the block's kThreads threads before this one; *total: over all threads.
FRUGAL_DEVICE std::uint64_t block_sum_before(std::uint64_t value, std::uint64_t* total) {
#ifdef __CUDACC__
  using Scan = cub::BlockScan<std::uint64_t, kThreads>;
  __shared__ typename Scan::TempStorage room;
  std::uint64_t before = 0;
  Scan(room).ExclusiveSum(value, before, *total);
#else
  FRUGAL_SHARED(std::uint64_t, all, kThreads);
  all[threadIdx.x] = value;
  __syncthreads();
  std::uint64_t before = *total = 0;
  for (unsigned i = 0; i < kThreads; ++i) {
    before += i < threadIdx.x ? all[i] : 0;
    *total += all[i];
  }
#endif
  __syncthreads();  // the next one writes there
  return before;
}

}  // namespace frugal::cuda
