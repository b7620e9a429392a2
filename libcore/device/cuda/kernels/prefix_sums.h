#pragma once
/// Prefix sums over n numbers, where n is known only on the device: first within chunks, then over
/// the sums of chunks. A reader adds the two (prefix_at()).
#include <cstdint>

#include "libcore/device/cuda/kernels/block_sums.h"

namespace frugal::cuda {

inline constexpr std::uint32_t kChunkOfThread = 4;
inline constexpr std::uint32_t kChunk = kThreads * kChunkOfThread;

/// within [n]: sum of the numbers before each one in its chunk; sums: sum of each chunk. Numbers
/// must have count() and at(i).
template <class Numbers>
FRUGAL_KERNEL sum_chunks(Numbers numbers, std::uint32_t* within, std::uint64_t* sums) {
  const std::uint64_t n = numbers.count();
  for (std::uint64_t begin = std::uint64_t{blockIdx.x} * kChunk; begin < n;
       begin += std::uint64_t{gridDim.x} * kChunk) {
    const std::uint64_t first = begin + threadIdx.x * kChunkOfThread;
    std::uint64_t own = 0, total = 0;
    for (std::uint64_t i = first; i < first + kChunkOfThread && i < n; ++i) own += numbers.at(i);
    std::uint64_t before = block_sum_before(own, &total);
    for (std::uint64_t i = first; i < first + kChunkOfThread && i < n; ++i) {
      within[i] = static_cast<std::uint32_t>(before);
      before += numbers.at(i);
    }
    if (threadIdx.x == 0) sums[begin / kChunk] = total;
  }
}

/// Replaces the sums of chunks by the sums before each chunk, and calls numbers.finish(total). One
/// block.
template <class Numbers>
FRUGAL_KERNEL sum_sums(Numbers numbers, std::uint64_t* sums) {
  const std::uint64_t chunks = (numbers.count() + kChunk - 1) / kChunk;
  std::uint64_t all = 0;
  for (std::uint64_t begin = 0; begin < chunks; begin += kThreads) {
    const std::uint64_t i = begin + threadIdx.x;
    std::uint64_t total = 0;
    const std::uint64_t before = block_sum_before(i < chunks ? sums[i] : 0, &total);
    if (i < chunks) sums[i] = all + before;
    all += total;
  }
  if (threadIdx.x == 0) numbers.finish(all);
}

FRUGAL_DEVICE std::uint64_t prefix_at(const std::uint32_t* within, const std::uint64_t* sums,
                                      std::uint64_t i) {
  return within[i] + sums[i / kChunk];
}

}  // namespace frugal::cuda
