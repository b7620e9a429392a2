// Hamming distances of codes that lie word by word, so that the codes of neighbouring rows fill a
// vector register.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernel_arguments.h"

namespace frugal {
namespace {

#if (defined(__AVX2__) && !defined(__AVX512VPOPCNTDQ__)) || !defined(__POPCNT__)
/// The number of bits in each byte of x, by the sums of neighbouring fields of 1, 2 and 4 bits.
inline std::uint64_t byte_counts(std::uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555U;
  x = (x & 0x3333333333333333U) + ((x >> 2) & 0x3333333333333333U);
  return (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU;
}
/// The sum of the bytes of x where it is below 2^16.
inline std::uint64_t byte_sum(std::uint64_t x) {
  x = (x & 0x00ff00ff00ff00ffU) + ((x >> 8) & 0x00ff00ff00ff00ffU);
  x += x >> 16;
  return x + (x >> 32);
}
#else
/// One instruction counts the bits of a word: of each in a register of AVX-512, or of one.
inline std::uint64_t byte_counts(std::uint64_t x) {
  return static_cast<std::uint64_t>(__builtin_popcountll(x));
}
inline std::uint64_t byte_sum(std::uint64_t x) { return x; }
#endif

/// count: a constant where the block is whole, so that the loops become vector code.
template <class Count>
inline void distances_of_block(const BitCodes& codes, std::size_t begin, Count count,
                               const std::uint64_t* query, std::uint16_t* out) {
  std::uint64_t sums[64] = {};
  for (std::size_t w = 0; w < codes.words; ++w) {
    const std::uint64_t* word = codes.bits + w * codes.stride + begin;
    for (std::size_t i = 0; i < count; ++i) sums[i] += byte_counts(word[i] ^ query[w]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    out[begin + i] = static_cast<std::uint16_t>(byte_sum(sums[i]));
  }
}

void bit_distances(const BitCodes& codes, const std::uint64_t* query, std::uint16_t* out) {
  constexpr std::size_t kWhole = 64;
  std::size_t begin = 0;
  for (; begin + kWhole <= codes.n; begin += kWhole) {
    distances_of_block(codes, begin, std::integral_constant<std::size_t, kWhole>{}, query, out);
  }
  if (begin < codes.n) distances_of_block(codes, begin, codes.n - begin, query, out);
}

std::size_t select_at_most(const std::uint16_t* x, std::size_t n, std::uint16_t bound,
                           std::uint32_t* indices) {
  std::size_t count = 0, i = 0;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  const __m256i bounds = _mm256_set1_epi16(static_cast<short>(bound));
  const __m512i step = _mm512_set1_epi32(16);
  __m512i index = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (; i + 16 <= n; i += 16, index = _mm512_add_epi32(index, step)) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i));
    const __mmask16 hit = _mm256_cmple_epu16_mask(values, bounds);
    // Whole registers are written, of which only the hits count: no more than i + 16 in all.
    _mm512_storeu_si512(indices + count, _mm512_maskz_compress_epi32(hit, index));
    count += static_cast<std::size_t>(__builtin_popcount(hit));
  }
#endif
  for (; i < n; ++i) {
    indices[count] = static_cast<std::uint32_t>(i);
    count += x[i] <= bound ? 1 : 0;
  }
  return count;
}

}  // namespace
}  // namespace frugal
