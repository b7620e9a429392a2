#pragma once
/// Finds the lowest of many keys, ascending, by a warp.
#include <cstdint>

#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
inline constexpr std::uint32_t kAllLanes = 0xffffffffU;

/// One key per lane, ascending over the lanes, with the number of its item.
struct LaneKeys {
  std::uint64_t key = kNoKey;
  std::uint32_t of = 0;

  /// Inserts a key, the same in all lanes, in order; the highest key is dropped.
  FRUGAL_DEVICE void enter(std::uint64_t entered, std::uint32_t entered_of) {
    const std::uint32_t lower_keys = __ballot_sync(kAllLanes, key <= entered ? 1 : 0);
    const auto place = static_cast<std::uint32_t>(__popc(lower_keys));
    const int below = static_cast<int>((own_lane() + kLanes - 1) % kLanes);
    const std::uint64_t lower = __shfl_sync(kAllLanes, key, below);
    const std::uint32_t lower_of = __shfl_sync(kAllLanes, of, below);
    if (own_lane() > place) {
      key = lower;
      of = lower_of;
    } else if (own_lane() == place) {
      key = entered;
      of = entered_of;
    }
  }
};

/// The kLanes lowest keys of [0, n) that are above `above`, or of all if `all`. keys.at(i) must be
/// kNoKey for items that do not count.
template <class Keys>
FRUGAL_DEVICE LaneKeys lowest_keys(const Keys& keys, std::uint32_t n, bool all,
                                   std::uint64_t above) {
  LaneKeys lowest;
  for (std::uint64_t first = 0; first < n; first += kLanes) {
    const auto i = static_cast<std::uint32_t>(first + own_lane());
    std::uint64_t key = first + own_lane() < n ? keys.at(i) : kNoKey;
    if (!all && key <= above) key = kNoKey;
    const std::uint64_t highest = __shfl_sync(kAllLanes, lowest.key, kLanes - 1);
    std::uint32_t lower = __ballot_sync(kAllLanes, key < highest ? 1 : 0);
    for (; lower != 0; lower &= lower - 1) {
      const int lane = __popc((lower & (~lower + 1)) - 1);
      const std::uint64_t entered = __shfl_sync(kAllLanes, key, lane);
      const std::uint32_t entered_of = __shfl_sync(kAllLanes, i, lane);
      lowest.enter(entered, entered_of);
    }
  }
  return lowest;
}

}  // namespace frugal::cuda
