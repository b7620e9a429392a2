// Dual coordinate descent for up to kDualLanes linear classifiers at once: a row of the weights
// holds the weights of all of them for one feature, so that one look at an example's features
// serves all. Rows for few classifiers are narrower, so that more of them stay in the caches.
// tests/bench/results/sparse-train-networks.md has its speed at 75 features an example.
#pragma once
#include <cstring>

#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// A row of kWidth floats in registers.
template <std::size_t kWidth>
struct DualRow {
  static constexpr std::size_t kBytes =
      kWidth * sizeof(float) < kVecBytes ? kWidth * sizeof(float) : kVecBytes;
  static constexpr std::size_t kPart = kBytes / sizeof(float);  ///< floats of a register
  static constexpr std::size_t kParts = kWidth / kPart;
  typedef float Part __attribute__((vector_size(kBytes)));
  typedef float UnalignedPart __attribute__((vector_size(kBytes), aligned(4), may_alias));
  typedef std::int32_t Mask __attribute__((vector_size(kBytes)));
  Part v[kParts];

  static Part load(const float* p) { return *reinterpret_cast<const UnalignedPart*>(p); }
  static void store(float* p, Part v) { *reinterpret_cast<UnalignedPart*>(p) = v; }
  static Part splat(float s) { return s - Part{}; }
};

template <class Mask>
bool any_lane(Mask mask) {
  if constexpr (sizeof(Mask) == sizeof(IVec)) {
    return any(mask);
  } else {
    std::uint64_t words[sizeof(Mask) / sizeof(std::uint64_t)], all = 0;
    std::memcpy(words, &mask, sizeof(Mask));
    for (const std::uint64_t word : words) all |= word;
    return all != 0;
  }
}

/// sum += value * row of the weights.
template <std::size_t kWidth>
void dual_add_row(const float* w, float value, DualRow<kWidth>& sum) {
  using Row = DualRow<kWidth>;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < Row::kParts; ++i) sum.v[i] += value * Row::load(w + i * Row::kPart);
}

template <std::size_t kWidth>
float* dual_row(const DualSweep& s, std::uint32_t feature) {
  return s.weights + (std::size_t{feature} + 1) * kWidth;
}

/// Margins of example [begin, end): sum of value * row, the bias first. Four chains of adds hide
/// the latency of rows of kDualLanes. Narrower rows have as many, so that sums do not depend on the
/// width.
template <std::size_t kWidth>
DualRow<kWidth> dual_margins(const DualSweep& s, std::size_t begin, std::size_t end) {
  using Row = DualRow<kWidth>;
  constexpr std::size_t kChains = 4 * kLanes / kDualLanes == 0 ? 1 : 4 * kLanes / kDualLanes;
  Row sums[kChains] = {};
  std::size_t j = begin;
  dual_add_row<kWidth>(s.weights, s.bias, sums[0]);
  if (end - begin >= kChains - 1) {
#pragma GCC unroll 4
    for (std::size_t c = 1; c < kChains; ++c, ++j)
      dual_add_row<kWidth>(dual_row<kWidth>(s, s.features[j]), s.values[j], sums[c]);
  }
  for (; j + kChains <= end; j += kChains) {
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kChains; ++c)
      dual_add_row<kWidth>(dual_row<kWidth>(s, s.features[j + c]), s.values[j + c], sums[c]);
  }
  for (; j < end; ++j)
    dual_add_row<kWidth>(dual_row<kWidth>(s, s.features[j]), s.values[j], sums[0]);
#pragma GCC unroll 4
  for (std::size_t c = 1; c < kChains; ++c) {
    for (std::size_t i = 0; i < Row::kParts; ++i) sums[0].v[i] += sums[c].v[i];
  }
  return sums[0];
}

template <std::size_t kWidth>
void dual_move_row(float* w, float value, const DualRow<kWidth>& step) {
  using Row = DualRow<kWidth>;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < Row::kParts; ++i) {
    float* const part = w + i * Row::kPart;
    Row::store(part, Row::load(part) + value * step.v[i]);
  }
}

template <std::size_t kWidth>
void dual_move_weights(const DualSweep& s, std::size_t begin, std::size_t end,
                       const DualRow<kWidth>& step) {
  dual_move_row<kWidth>(s.weights, s.bias, step);
  for (std::size_t j = begin; j < end; ++j)
    dual_move_row<kWidth>(dual_row<kWidth>(s, s.features[j]), s.values[j], step);
}

/// Asks for what the next examples of the order need: the features of the one after the next, the
/// weights of the next.
template <std::size_t kWidth>
void dual_prefetch(const DualSweep& s, std::size_t position) {
  if (position + 2 < s.n) {
    const std::uint32_t e = s.order[position + 2];
    const std::size_t begin = s.begin[e];
    const std::size_t end = s.begin[e + 1];
    for (std::size_t j = begin; j < end; j += 16) {
      __builtin_prefetch(s.features + j);
      __builtin_prefetch(s.values + j);
    }
    __builtin_prefetch(s.alphas + std::size_t{e} * kWidth);
  }
  if (position + 1 < s.n) {
    const std::uint32_t e = s.order[position + 1];
    for (std::size_t j = s.begin[e]; j < s.begin[e + 1]; ++j)
      __builtin_prefetch(dual_row<kWidth>(s, s.features[j]));
  }
}

template <std::size_t kWidth>
std::size_t dual_sweep_of(const DualSweep s) {
  using Row = DualRow<kWidth>;
  using Part = typename Row::Part;
  using Mask = typename Row::Mask;
  alignas(kVecBytes) std::int32_t lane_bits[kWidth], live_lanes[kWidth];
  for (std::size_t l = 0; l < kWidth; ++l) {
    lane_bits[l] = std::int32_t{1} << l;
    live_lanes[l] = (s.lanes >> l & 1) != 0 ? -1 : 0;
  }
  const Part zero{};
  std::size_t kept = 0;
  for (std::size_t position = 0; position < s.n; ++position) {
    dual_prefetch<kWidth>(s, position);
    const std::uint32_t e = s.order[position];
    const std::size_t begin = s.begin[e];
    const std::size_t end = s.begin[e + 1];
    float* const alphas = s.alphas + std::size_t{e} * kWidth;
    const Row margins = dual_margins<kWidth>(s, begin, end);
    const Mask labels = static_cast<std::int32_t>(s.positives[e]) + Mask{};
    Row step;
    Mask moves{}, stays{};
#pragma GCC unroll 4
    for (std::size_t i = 0; i < Row::kParts; ++i) {
      const std::size_t lane = i * Row::kPart;
      const Mask live = *reinterpret_cast<const Mask*>(live_lanes + lane);
      const Mask bits = *reinterpret_cast<const Mask*>(lane_bits + lane);
      const Mask is_label = (labels & bits) != 0;
      const Part y = is_label ? Row::splat(1.0f) : Row::splat(-1.0f);
      const Part alpha = Row::load(alphas + lane);
      const Part gradient = y * margins.v[i] - Row::splat(1.0f) + s.diagonals[e] * alpha;
      const Mask at_bound = alpha == zero;
      // At the bound a positive gradient cannot be followed.
      const Mask cannot = at_bound & (gradient > zero);
      const Part projected = cannot ? zero : gradient;
      const Mask droppable = at_bound & (gradient > Row::load(s.limits + lane));
      const Part largest = Row::load(s.largest + lane);
      const Part smallest = Row::load(s.smallest + lane);
      const Mask counted = live & ~droppable;
      const Mask above = counted & (projected > largest), below = counted & (projected < smallest);
      Row::store(s.largest + lane, above ? projected : largest);
      Row::store(s.smallest + lane, below ? projected : smallest);
      stays |= counted;
      const Part wanted = alpha - gradient * s.inverse_curvature[e];
      const Part bounded = wanted > zero ? wanted : zero;
      const Part next = counted ? bounded : alpha;
      step.v[i] = (next - alpha) * y;
      moves |= next != alpha;
      Row::store(alphas + lane, next);
    }
    if (any_lane(moves)) dual_move_weights<kWidth>(s, begin, end, step);
    if (any_lane(stays)) {
      s.order[position] = s.order[kept];
      s.order[kept++] = e;
    }
  }
  return kept;
}

std::size_t dual_sweep(const DualSweep& s) {
  switch (s.width) {
    case 4: return dual_sweep_of<4>(s);
    case 8: return dual_sweep_of<8>(s);
    default: return dual_sweep_of<kDualLanes>(s);
  }
}

}  // namespace
}  // namespace frugal
