// Loops that measure the peak of the arithmetic units. They are instruments, not kernels: each is
// written for one instruction set with its intrinsics, holds enough independent sums to cover the
// latency of a multiply-add (4 cycles, two units: at least 8), and touches no memory.
#include "tools/hw-probe/bench/peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <cstdint>
#include <iterator>

namespace frugal::probe {
namespace {

/// The sums converge to kOffset / (1 - kFactor): they neither overflow nor become denormal.
constexpr float kFactor = 0.5f;
constexpr float kOffset = 0.25f;

#if defined(__x86_64__)

constexpr int kSums512 = 16, kSums256 = 12, kSums128 = 12;
constexpr int kBf16Pair = 0x00003f00;  // 0.5 and, above it, 0

__attribute__((target("avx512f"))) float f32_avx512(std::size_t iterations) {
  __m512 sums[kSums512];
  for (int j = 0; j < kSums512; ++j) sums[j] = _mm512_set1_ps(static_cast<float>(j));
  const __m512 factor = _mm512_set1_ps(kFactor), offset = _mm512_set1_ps(kOffset);
  for (std::size_t i = 0; i < iterations; ++i) {
    for (int j = 0; j < kSums512; ++j) sums[j] = _mm512_fmadd_ps(sums[j], factor, offset);
  }
  __m512 total = sums[0];
  for (int j = 1; j < kSums512; ++j) total = _mm512_add_ps(total, sums[j]);
  return _mm512_cvtss_f32(total);
}

__attribute__((target("avx2,fma"))) float f32_avx2(std::size_t iterations) {
  __m256 sums[kSums256];
  for (int j = 0; j < kSums256; ++j) sums[j] = _mm256_set1_ps(static_cast<float>(j));
  const __m256 factor = _mm256_set1_ps(kFactor), offset = _mm256_set1_ps(kOffset);
  for (std::size_t i = 0; i < iterations; ++i) {
    for (int j = 0; j < kSums256; ++j) sums[j] = _mm256_fmadd_ps(sums[j], factor, offset);
  }
  __m256 total = sums[0];
  for (int j = 1; j < kSums256; ++j) total = _mm256_add_ps(total, sums[j]);
  return _mm256_cvtss_f32(total);
}

float f32_sse(std::size_t iterations) {
  __m128 sums[kSums128];
  for (int j = 0; j < kSums128; ++j) sums[j] = _mm_set1_ps(static_cast<float>(j));
  const __m128 factor = _mm_set1_ps(kFactor), offset = _mm_set1_ps(kOffset);
  for (std::size_t i = 0; i < iterations; ++i) {
    for (int j = 0; j < kSums128; ++j) sums[j] = _mm_add_ps(_mm_mul_ps(sums[j], factor), offset);
  }
  __m128 total = sums[0];
  for (int j = 1; j < kSums128; ++j) total = _mm_add_ps(total, sums[j]);
  return _mm_cvtss_f32(total);
}

__attribute__((target("avx512f,avx512bf16"))) float bf16_dots(std::size_t iterations) {
  __m512 sums[kSums512];
  for (int j = 0; j < kSums512; ++j) sums[j] = _mm512_set1_ps(static_cast<float>(j));
  const __m512i factors = _mm512_set1_epi32(kBf16Pair);
  for (std::size_t i = 0; i < iterations; ++i) {
    for (int j = 0; j < kSums512; ++j) {
      sums[j] = _mm512_dpbf16_ps(sums[j], reinterpret_cast<__m512bh>(factors),
                                 reinterpret_cast<__m512bh>(factors));
    }
  }
  __m512 total = sums[0];
  for (int j = 1; j < kSums512; ++j) total = _mm512_add_ps(total, sums[j]);
  return _mm512_cvtss_f32(total);
}

/// Shape of the eight tiles (Intel SDM volume 1, chapter 18: palette 1).
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes_per_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// Four sums of 16 x 16 from two left and two right tiles of 16 x 32 numbers.
__attribute__((target("amx-tile,amx-bf16"))) float bf16_amx(std::size_t iterations) {
  const TileConfig config;
  _tile_loadconfig(&config);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (std::size_t i = 0; i < iterations; ++i) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  alignas(64) float result[16 * 16];
  _tile_stored(0, result, 64);
  _tile_release();
  return result[0];
}

constexpr double kTileFlop = 2.0 * 16 * 16 * 32;
constexpr PeakLoop kF32Loops[] = {
    {"f32", SimdLevel::v4, 2.0 * 16 * kSums512, f32_avx512},
    {"f32", SimdLevel::v3, 2.0 * 8 * kSums256, f32_avx2},
    {"f32", SimdLevel::v2, 2.0 * 4 * kSums128, f32_sse},
};
constexpr PeakLoop kBf16Loops[] = {
    {"bf16", SimdLevel::amx, 4 * kTileFlop, bf16_amx},
    {"bf16", SimdLevel::v4bf16, 4.0 * 16 * kSums512, bf16_dots},
};
constexpr std::size_t kNumBf16Loops = std::size(kBf16Loops);

#elif defined(__aarch64__)

constexpr int kSums = 16;

float f32_neon(std::size_t iterations) {
  float32x4_t sums[kSums];
  for (int j = 0; j < kSums; ++j) sums[j] = vdupq_n_f32(static_cast<float>(j));
  const float32x4_t factor = vdupq_n_f32(kFactor), offset = vdupq_n_f32(kOffset);
  for (std::size_t i = 0; i < iterations; ++i) {
    for (int j = 0; j < kSums; ++j) sums[j] = vfmaq_f32(offset, sums[j], factor);
  }
  float32x4_t total = sums[0];
  for (int j = 1; j < kSums; ++j) total = vaddq_f32(total, sums[j]);
  return vaddvq_f32(total);
}

constexpr PeakLoop kF32Loops[] = {{"f32", SimdLevel::neon, 2.0 * 4 * kSums, f32_neon}};
constexpr const PeakLoop* kBf16Loops = nullptr;
constexpr std::size_t kNumBf16Loops = 0;

#endif

}  // namespace

PeakLoop f32_peak(SimdLevel highest) {
  for (const PeakLoop& loop : kF32Loops) {
    if (loop.level <= highest && simd_usable(loop.level)) return loop;
  }
  return kF32Loops[std::size(kF32Loops) - 1];
}

std::optional<PeakLoop> bf16_peak(SimdLevel highest) {
  for (std::size_t i = 0; i < kNumBf16Loops; ++i) {
    const PeakLoop& loop = kBf16Loops[i];
    if (loop.level <= highest && simd_usable(loop.level)) return loop;
  }
  return std::nullopt;
}

}  // namespace frugal::probe
