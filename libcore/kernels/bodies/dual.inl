// Dual coordinate descent for kDualLanes linear classifiers at once: a row of the weights holds the
// weights of all of them for one feature, so that one look at an example's features serves all.
// tests/bench/results/sparse-train-networks.md has its speed at 75 features an example.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// One row of kDualLanes floats in registers.
struct DualRow {
  static constexpr std::size_t kVecs = kDualLanes / kLanes;
  Vec v[kVecs];

  static DualRow load(const float* p) {
    DualRow row;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVecs; ++i) row.v[i] = frugal::load(p + i * kLanes);
    return row;
  }
  void store(float* p) const {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kVecs; ++i) frugal::store(p + i * kLanes, v[i]);
  }
};

/// Margins of example [begin, end): sum of value * row. Four chains of adds hide their latency.
inline DualRow dual_margins(const DualSweep& s, std::size_t begin, std::size_t end) {
  constexpr std::size_t kChains = 4 / DualRow::kVecs == 0 ? 1 : 4 / DualRow::kVecs;
  DualRow sums[kChains] = {};
  std::size_t j = begin;
  for (; j + kChains <= end; j += kChains) {
#pragma GCC unroll 4
    for (std::size_t c = 0; c < kChains; ++c) {
      const float* w = s.weights + std::size_t{s.rows[j + c]} * kDualLanes;
#pragma GCC unroll 4
      for (std::size_t i = 0; i < DualRow::kVecs; ++i)
        sums[c].v[i] += s.values[j + c] * load(w + i * kLanes);
    }
  }
  for (; j < end; ++j) {
    const float* w = s.weights + std::size_t{s.rows[j]} * kDualLanes;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < DualRow::kVecs; ++i)
      sums[0].v[i] += s.values[j] * load(w + i * kLanes);
  }
#pragma GCC unroll 4
  for (std::size_t c = 1; c < kChains; ++c) {
    for (std::size_t i = 0; i < DualRow::kVecs; ++i) sums[0].v[i] += sums[c].v[i];
  }
  return sums[0];
}

inline void dual_move_weights(const DualSweep& s, std::size_t begin, std::size_t end,
                              const DualRow& step) {
  for (std::size_t j = begin; j < end; ++j) {
    float* w = s.weights + std::size_t{s.rows[j]} * kDualLanes;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < DualRow::kVecs; ++i)
      store(w + i * kLanes, load(w + i * kLanes) + s.values[j] * step.v[i]);
  }
}

/// Asks for what the next examples of the order need: the features of the one after the next, the
/// weights of the next.
inline void dual_prefetch(const DualSweep& s, std::size_t position) {
  if (position + 2 < s.n) {
    const std::uint32_t e = s.order[position + 2];
    const std::size_t begin = s.begin[e];
    const std::size_t end = s.begin[e + 1];
    for (std::size_t j = begin; j < end; j += 16) {
      __builtin_prefetch(s.rows + j);
      __builtin_prefetch(s.values + j);
    }
    __builtin_prefetch(s.alphas + std::size_t{e} * kDualLanes);
  }
  if (position + 1 < s.n) {
    const std::uint32_t e = s.order[position + 1];
    for (std::size_t j = s.begin[e]; j < s.begin[e + 1]; ++j)
      __builtin_prefetch(s.weights + std::size_t{s.rows[j]} * kDualLanes);
  }
}

std::size_t dual_sweep(const DualSweep& sweep) {
  const DualSweep s = sweep;
  alignas(kVecBytes) std::int32_t lane_bits[kDualLanes], live_lanes[kDualLanes];
  for (std::size_t l = 0; l < kDualLanes; ++l) {
    lane_bits[l] = std::int32_t{1} << l;
    live_lanes[l] = (s.lanes >> l & 1) != 0 ? -1 : 0;
  }
  const Vec zero{};
  std::size_t kept = 0;
  for (std::size_t position = 0; position < s.n; ++position) {
    dual_prefetch(s, position);
    const std::uint32_t e = s.order[position];
    const std::size_t begin = s.begin[e];
    const std::size_t end = s.begin[e + 1];
    float* const alphas = s.alphas + std::size_t{e} * kDualLanes;
    const DualRow margins = dual_margins(s, begin, end);
    const IVec labels = splat(static_cast<std::int32_t>(s.positives[e]));
    DualRow step;
    IVec moves{}, stays{};
#pragma GCC unroll 4
    for (std::size_t i = 0; i < DualRow::kVecs; ++i) {
      const std::size_t lane = i * kLanes;
      const IVec live = *reinterpret_cast<const IVec*>(live_lanes + lane);
      const IVec bits = *reinterpret_cast<const IVec*>(lane_bits + lane);
      const IVec is_label = (labels & bits) != 0;
      const Vec y = select(is_label, splat(1.0f), splat(-1.0f));
      const Vec alpha = load(alphas + lane);
      const Vec gradient = y * margins.v[i] - splat(1.0f) + s.diagonals[e] * alpha;
      const IVec at_bound = alpha == zero;
      // At the bound a positive gradient cannot be followed.
      const Vec projected = select(at_bound & (gradient > zero), zero, gradient);
      const IVec droppable = at_bound & (gradient > load(s.limits + lane));
      const Vec largest = load(s.largest + lane);
      const Vec smallest = load(s.smallest + lane);
      const IVec counted = live & ~droppable;
      store(s.largest + lane, select(counted & (projected > largest), projected, largest));
      store(s.smallest + lane, select(counted & (projected < smallest), projected, smallest));
      stays |= counted;
      const Vec wanted = alpha - gradient * s.inverse_curvature[e];
      const Vec bounded = select(wanted > zero, wanted, zero);
      const Vec next = select(counted, bounded, alpha);
      step.v[i] = (next - alpha) * y;
      moves |= next != alpha;
      store(alphas + lane, next);
    }
    if (any(moves)) dual_move_weights(s, begin, end, step);
    if (any(stays)) {
      s.order[position] = s.order[kept];
      s.order[kept++] = e;
    }
  }
  return kept;
}

}  // namespace
}  // namespace frugal
