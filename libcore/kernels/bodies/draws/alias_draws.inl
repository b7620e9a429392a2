// Draws from weighted lists by the alias method. What they read is scattered over the memory, so
// draws are begun for many lists before the first one reads its table.
#pragma once
#include "libcore/kernels/alias_list.h"
#include "libcore/kernels/bodies/draws/draws.inl"

namespace frugal {
namespace {

/// Rng::at(): one number, or a register of them.
template <class Numbers>
inline Numbers rng_number(std::uint64_t key, Numbers index) {
  return split_mix(split_mix(key + index * kGoldenStep) ^ key);
}

#if defined(__AVX512DQ__) && defined(__AVX512CD__) && defined(__AVX512VL__)
inline constexpr std::size_t kWordsAtOnce = 8;

inline void store_lower_halves(Words x, __mmask8 wanted, std::uint32_t* halves) {
  _mm256_mask_storeu_epi32(halves, wanted,
                           _mm512_maskz_cvtepi64_epi32(0xff, reinterpret_cast<__m512i>(x)));
}

/// Begins eight draws or fewer. Returns false if a place is refused, and then writes nothing.
inline bool begin_eight(const AliasList& list, std::uint64_t key, std::uint64_t index,
                        __mmask8 wanted, std::uint32_t* places, std::uint32_t* coins) {
  constexpr Words kEven = {0, 2, 4, 6, 8, 10, 12, 14};
  const Words n = Words{} + list.size;
  const Words bits = rng_number(key, index + kEven);
  const Words lower = halves_product(bits, n), upper = halves_product(bits >> 32, n);
  const Words product = (upper << 32) + lower;  // its lower 64 bits
  if (_mm512_mask_cmplt_epu64_mask(wanted, reinterpret_cast<__m512i>(product),
                                   reinterpret_cast<__m512i>(n)) != 0) {
    return false;
  }
  store_lower_halves((upper + (lower >> 32)) >> 32, wanted, places);
  store_lower_halves(rng_number(key, index + kEven + 1) >> 32, wanted, coins);
  return true;
}
#endif

inline void ask_for(const AliasList& list, std::uint32_t place) {
  __builtin_prefetch(list.high + place);
  if (list.size > AliasList::kShort) __builtin_prefetch(list.low + place);
}

std::uint64_t begin_alias_draws(const AliasList& list, const AliasTries& tries) {
  std::uint64_t index = tries.index;
  std::size_t j = 0;
#if defined(__AVX512DQ__) && defined(__AVX512CD__) && defined(__AVX512VL__)
  while (j < tries.count) {
    const std::size_t n = tries.count - j < kWordsAtOnce ? tries.count - j : kWordsAtOnce;
    const auto wanted = static_cast<__mmask8>((1U << n) - 1);
    if (!begin_eight(list, tries.key, index, wanted, tries.places + j, tries.coins + j)) break;
    for (std::size_t i = j; i < j + n; ++i) ask_for(list, tries.places[i]);
    j += n;
    index += 2 * n;
  }
#endif
  for (; j < tries.count; ++j) {
    const std::uint64_t n = list.size;
    auto product = static_cast<unsigned __int128>(rng_number(tries.key, index++)) * n;
    while (static_cast<std::uint64_t>(product) < n &&
           static_cast<std::uint64_t>(product) < (0 - n) % n) {
      product = static_cast<unsigned __int128>(rng_number(tries.key, index++)) * n;
    }
    tries.places[j] = static_cast<std::uint32_t>(product >> 64);
    ask_for(list, tries.places[j]);
    tries.coins[j] = static_cast<std::uint32_t>(rng_number(tries.key, index++) >> 32);
  }
  return index;
}

#if defined(__AVX512DQ__) && defined(__AVX512CD__) && defined(__AVX512VL__)
/// The entries of sixteen draws or fewer from a short list.
inline Draws sixteen_entries(const AliasList& list, const AliasTries& tries, std::size_t first,
                             __mmask16 wanted) {
  const __m512i places = _mm512_maskz_loadu_epi32(wanted, tries.places + first);
  const __m512i coins =
      _mm512_maskz_srli_epi32(0xffff, _mm512_maskz_loadu_epi32(wanted, tries.coins + first), 16);
  const __m512i entries =
      _mm512_mask_i32gather_epi32(__m512i{}, wanted, places, list.high, sizeof(std::uint32_t));
  const __m512i shares = _mm512_maskz_srli_epi32(0xffff, entries, 16);
  const __m512i others =
      _mm512_maskz_and_epi32(0xffff, entries, reinterpret_cast<__m512i>(Draws{} + 0xffff));
  const __mmask16 own = _mm512_mask_cmplt_epu32_mask(wanted, coins, shares);
  auto drawn = reinterpret_cast<Draws>(_mm512_mask_blend_epi32(own, others, places));
  __mmask16 doubtful = _mm512_mask_cmpeq_epi32_mask(wanted, coins, shares);
  for (; doubtful != 0; doubtful = static_cast<__mmask16>(doubtful & (doubtful - 1))) [[unlikely]] {
      const auto j = static_cast<std::uint32_t>(__builtin_ctz(doubtful));
      drawn[j] = alias_entry(list, tries.places[first + j], tries.coins[first + j]);
    }
  return drawn;
}
#endif

std::size_t take_new_entries(const AliasList& list, const AliasTries& tries, std::uint32_t* chosen,
                             std::size_t found, std::size_t most) {
  std::size_t j = 0;
#if defined(__AVX512DQ__) && defined(__AVX512CD__) && defined(__AVX512VL__)
  for (; list.size <= AliasList::kShort && j < tries.count && found < most; j += kRegisterDraws) {
    const std::size_t left = tries.count - j;
    const auto wanted = static_cast<__mmask16>(left < kRegisterDraws ? (1U << left) - 1 : 0xffff);
    const Draws drawn = sixteen_entries(list, tries, j, wanted);
    const __m512i same = _mm512_maskz_conflict_epi32(wanted, bits_of(drawn));
    auto is_new = static_cast<__mmask16>(wanted & ~_mm512_test_epi32_mask(same, same));
    for (std::size_t i = 0; i < found; ++i) {
      const __m512i known = bits_of(Draws{} + chosen[i]);
      is_new = static_cast<__mmask16>(is_new & ~_mm512_cmpeq_epi32_mask(bits_of(drawn), known));
    }
    _mm512_storeu_si512(chosen + found, _mm512_maskz_compress_epi32(is_new, bits_of(drawn)));
    found += static_cast<std::size_t>(__builtin_popcount(is_new));
  }
#endif
  for (; j < tries.count && found < most; ++j) {
    const std::uint32_t entry = alias_entry(list, tries.places[j], tries.coins[j]);
    std::uint32_t known = 0;
    for (std::size_t i = 0; i < found; ++i) known |= chosen[i] == entry ? 1 : 0;
    chosen[found] = entry;
    found += 1 - known;
  }
  return found < most ? found : most;
}

}  // namespace
}  // namespace frugal
