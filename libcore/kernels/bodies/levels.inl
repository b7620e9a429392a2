// Rows that are kept as levels of 8 or 4 bits with a scale for each group of numbers.
#pragma once
#include "libcore/kernels/bodies/rows.inl"
#include "libcore/kernels/bodies/vec_bytes.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// int8, f32 scales.
struct ByteLevels {
  const std::int8_t* levels;
  const float* scales;

  explicit ByteLevels(const LevelRows& rows)
      : levels(static_cast<const std::int8_t*>(rows.levels)),
        scales(static_cast<const float*>(rows.scales)) {}
  const void* place(std::uint64_t slot) const { return levels + slot; }
  float scale(std::uint64_t group) const { return scales[group]; }
  float level(std::uint64_t slot) const { return static_cast<float>(levels[slot]); }
  Vec level_vec(std::uint64_t slot) const {
    Bytes16 bytes{};
    __builtin_memcpy(&bytes, levels + slot, kLanes);
    return __builtin_convertvector(widen_signed(bytes), Vec);
  }
};

/// int4 as its level + 8, the first of a byte in the lower half; bf16 scales.
struct NibbleLevels {
  static constexpr std::int32_t kZero = 8;
  const std::uint8_t* nibbles;
  const BFloat16* scales;

  explicit NibbleLevels(const LevelRows& rows)
      : nibbles(static_cast<const std::uint8_t*>(rows.levels)),
        scales(static_cast<const BFloat16*>(rows.scales)) {}
  const void* place(std::uint64_t slot) const { return nibbles + slot / 2; }
  float scale(std::uint64_t group) const {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(scales[group].bits) << 16);
  }
  float level(std::uint64_t slot) const {
    const int byte = nibbles[slot / 2];
    return static_cast<float>((slot % 2 == 0 ? byte & 15 : byte >> 4) - kZero);
  }
  Vec level_vec(std::uint64_t slot) const {
    constexpr std::uint64_t kLower = 0x0f0f0f0f0f0f0f0f;
    const std::uint8_t* const p = nibbles + slot / 2;
    const std::uint64_t odd = slot % 2;
    // The byte of the last number: one more where the first is an upper half. No branch, for places
    // are odd by chance.
    const std::uint64_t last = p[(odd + kLanes - 1) / 2];
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, p, kLanes / 2);
    bits = bits >> 4 * odd | (last << (4 * kLanes - 4) & (0 - odd));
    const IVec levels =
        reinterpret_cast<IVec>(widen(interleaved(bits & kLower, bits >> 4 & kLower)));
    return __builtin_convertvector(levels - splat(kZero), Vec);
  }
};

/// The scales of kLanes numbers behind a slot, of one group or two; without a branch, as above.
template <class Levels>
inline Vec scale_vec(const Levels& levels, std::uint64_t slot, unsigned group_bits, IVec lane) {
  const std::uint64_t group = slot >> group_bits, last = (slot + kLanes - 1) >> group_bits;
  const auto left = static_cast<std::int32_t>(((group + 1) << group_bits) - slot);
  return select(lane < splat(left), splat(levels.scale(group)), splat(levels.scale(last)));
}

template <class Levels>
inline void gather_levels(const LevelRows& args) {
  const LevelRows r = args;
  const Levels levels(r);
  IVec lane{};
  for (std::size_t i = 0; i < kLanes; ++i) lane[i] = static_cast<std::int32_t>(i);
  for (std::size_t j = 0; j < r.n; ++j) {
    if (j + kAhead < r.n) {
      __builtin_prefetch(levels.place(r.first + std::uint64_t{r.places[j + kAhead]} * r.unit));
    }
    const std::uint64_t slot = r.first + std::uint64_t{r.places[j]} * r.unit;
    float* const out = r.out + j * r.length;
    std::size_t i = 0;
    for (; i + kLanes <= r.length; i += kLanes) {
      store(out + i, scale_vec(levels, slot + i, r.group_bits, lane) * levels.level_vec(slot + i));
    }
    for (; i < r.length; ++i) {
      out[i] = levels.scale((slot + i) >> r.group_bits) * levels.level(slot + i);
    }
  }
}

void gather_bytes(const LevelRows& rows) { gather_levels<ByteLevels>(rows); }
void gather_nibbles(const LevelRows& rows) { gather_levels<NibbleLevels>(rows); }

}  // namespace
}  // namespace frugal
