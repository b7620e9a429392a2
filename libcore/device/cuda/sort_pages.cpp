#include "libcore/device/cuda/sort_pages.h"

#include "libcore/device/cuda/resources.h"
#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#else
#include <algorithm>
#include <numeric>
#include <vector>
#endif

namespace frugal::cuda {

#ifdef __CUDACC__
std::size_t sort_room(std::uint64_t n, int bits) {
  std::size_t bytes = 0;
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, static_cast<std::uint32_t*>(nullptr),
                                        static_cast<std::uint32_t*>(nullptr),
                                        static_cast<std::uint32_t*>(nullptr),
                                        static_cast<std::uint32_t*>(nullptr), n, 0, bits),
        "DeviceRadixSort");
  return bytes;
}
void sort_pairs(const SortedPairs& p, void* room, std::size_t room_bytes, cudaStream_t stream) {
  check(cub::DeviceRadixSort::SortPairs(room, room_bytes, p.keys, p.sorted_keys, p.values,
                                        p.sorted_values, p.n, 0, p.bits, stream),
        "DeviceRadixSort");
}
#else
std::size_t sort_room(std::uint64_t, int) { return 1; }
void sort_pairs(const SortedPairs& p, void*, std::size_t, cudaStream_t stream) {
  host_cuda::give(stream, [p] {
    std::vector<std::uint32_t> order(p.n);
    std::iota(order.begin(), order.end(), 0U);
    const std::uint32_t mask = 0xffffffffU >> (32 - p.bits);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return (p.keys[a] & mask) < (p.keys[b] & mask);
    });
    for (std::uint64_t i = 0; i < p.n; ++i) {
      p.sorted_keys[i] = p.keys[order[i]];
      p.sorted_values[i] = p.values[order[i]];
    }
  });
}
#endif

}  // namespace frugal::cuda
