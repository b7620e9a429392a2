#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>

#include "libcore/threading/parallel.h"

namespace frugal {

/// Returns the first i below n for which good(i) is false, or n. All threads search. Each block is
/// first tested as a whole, which compilers vectorise.
template <class Good>
std::size_t find_bad(std::size_t n, const Good& good) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 16;
  std::atomic<std::size_t> first{n};
  const std::size_t blocks = (n + kAtOnce - 1) / kAtOnce;
  parallel_for(blocks, 1, [&](std::size_t block) {
    const std::size_t begin = block * kAtOnce, end = std::min(n, begin + kAtOnce);
    unsigned bad = 0;
    for (std::size_t i = begin; i < end; ++i) bad |= good(i) ? 0U : 1U;
    if (bad == 0) return;
    std::size_t i = begin;
    while (good(i)) ++i;
    for (std::size_t known = first; i < known && !first.compare_exchange_weak(known, i);) {
    }
  });
  return first;
}

}  // namespace frugal
