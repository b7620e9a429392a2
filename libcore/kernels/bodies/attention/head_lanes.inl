// Numbers of lists' entries, those of an entry's heads side by side: vectors hold several entries
// whole, so that a lane belongs to the same head each time.
#pragma once
#include "libcore/kernels/bodies/products/dense.inl"
#include "libcore/kernels/bodies/vec.h"

namespace frugal {
namespace {

/// body(offset, lanes) over `entries` rows of `heads` numbers so that the lanes of a vector belong
/// to the same heads each time: lane l to head first + l % count.
template <class Body>
inline void for_each_head_vec(std::size_t entries, std::size_t heads, std::size_t first,
                              std::size_t count, Body body) {
  const std::size_t rows = count == heads ? kLanes / heads : 1;
  for (std::size_t e = 0; e < entries; e += rows) {
    const std::size_t used = (entries - e < rows ? entries - e : rows) * count;
    if (used == kLanes) {
      body(e * heads + first, Full{});
    } else {
      body(e * heads + first, First(used));
    }
  }
}

/// fold() of the lanes of each of `heads` heads, in all lanes of the head.
template <class Fold>
inline Vec fold_heads(Vec v, std::size_t heads, Fold fold) {
  if ((heads & (heads - 1)) == 0) {
    if (kLanes > 8 && heads <= 8) v = fold(v, swap_lanes<8>(v));
    if (kLanes > 4 && heads <= 4) v = fold(v, swap_lanes<4>(v));
    if (heads <= 2) v = fold(v, swap_lanes<2>(v));
    if (heads == 1) v = fold(v, swap_lanes<1>(v));
    return v;
  }
  float lanes[kLanes];
  store(lanes, v);
  for (std::size_t l = heads; l < kLanes; ++l) {
    lanes[l % heads] = fold(lanes[l % heads], lanes[l]);
  }
  for (std::size_t l = heads; l < kLanes; ++l) lanes[l] = lanes[l - heads];
  return load(lanes);
}

/// x of each of `heads` heads in all lanes of the head.
inline Vec spread_heads(const float* x, std::size_t heads) {
  float lanes[kLanes];
  for (std::size_t l = 0, h = 0; l < kLanes; ++l) {
    lanes[l] = x[h];
    h = h + 1 == heads ? 0 : h + 1;
  }
  return load(lanes);
}

/// body(first, count) for the heads [first, first + count), as many as a vector has lanes.
template <class Body>
inline void for_each_head_group(std::size_t heads, Body body) {
  for (std::size_t first = 0; first < heads; first += kLanes) {
    body(first, heads - first < kLanes ? heads - first : kLanes);
  }
}

/// Softmax over the entries, for each head.
inline void softmax_heads(float* scores, std::size_t entries, std::size_t heads) {
  for_each_head_group(heads, [=](std::size_t first, std::size_t count) {
    const auto each = [&](auto body) { for_each_head_vec(entries, heads, first, count, body); };
    Vec highest = splat(-__builtin_inff());
    each([&](std::size_t i, const auto& lanes) {
      highest = larger(lanes.keep(lanes.load(scores + i), -__builtin_inff()), highest);
    });
    highest = fold_heads(highest, count, [](auto x, auto y) { return x > y ? x : y; });
    Vec total{};
    each([&](std::size_t i, const auto& lanes) {
      const Vec e = exp(lanes.load(scores + i) - highest);
      lanes.store(scores + i, e);
      total += lanes.keep(e, 0);
    });
    const Vec share = 1.0f / fold_heads(total, count, [](auto x, auto y) { return x + y; });
    each([&](std::size_t i, const auto& lanes) {
      lanes.store(scores + i, share * lanes.load(scores + i));
    });
  });
}

}  // namespace
}  // namespace frugal
