// Random entries of lists. The draws of a list are numbered: draw j is one half of number j / 2 of
// a SplitMix64 sequence (Steele, Lea, Flood, OOPSLA 2014) that begins at the list's own key, so
// that a vector register makes 16 of them at a time and every ISA makes the same.
#pragma once
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

inline constexpr std::uint64_t kGoldenStep = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kMix1 = 0xbf58476d1ce4e5b9, kMix2 = 0x94d049bb133111eb;
/// A draw that was refused is made again from another part of the sequence.
inline constexpr std::uint64_t kRetryStep = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

template <class Numbers>
inline Numbers split_mix(Numbers z) {
  z = (z ^ (z >> 30)) * kMix1;
  z = (z ^ (z >> 27)) * kMix2;
  return z ^ (z >> 31);
}
inline std::uint64_t list_key(std::uint64_t key, std::uint64_t list) {
  return split_mix(key + (list + 1) * kGoldenStep);
}
inline std::uint32_t draw_bits(std::uint64_t key, std::uint64_t j) {
  const std::uint64_t z = split_mix(key + (j / 2 + 1) * kGoldenStep);
  return static_cast<std::uint32_t>(j % 2 == 0 ? z : z >> 32);
}

/// Draw j of a list, uniform in [0, n), exactly (Lemire, ACM TOMACS 2019).
inline std::uint32_t bounded_draw(std::uint64_t key, std::uint32_t j, std::uint32_t n) {
  std::uint64_t product = std::uint64_t{draw_bits(key, j)} * n;
  if (static_cast<std::uint32_t>(product) < n) {
    const std::uint32_t threshold = (0 - n) % n;
    for (std::uint64_t at = j; static_cast<std::uint32_t>(product) < threshold;) {
      product = std::uint64_t{draw_bits(key, at += kRetryStep)} * n;
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

inline void ask_for(const ListDraws& args, std::uint64_t pick) {
  if (args.entries != nullptr) __builtin_prefetch(args.entries + pick);
}

/// All of a list that has no more entries than are wanted.
inline void take_all(const ListDraws& args, std::uint64_t begin, std::uint32_t n,
                     std::uint64_t* picks) {
  for (std::uint32_t j = 0; j < n; ++j) picks[j] = begin + j;
  for (std::uint32_t j = 0; j < n; j += 16) ask_for(args, begin + j);
  if (n != 0) ask_for(args, begin + n - 1);
}

/// k of n entries, k < n: in step j one of the first n - k + j + 1, or where that was taken before,
/// the last of them (Floyd; Bentley, CACM 30(9), 1987). picks[0, k).
inline void floyd(std::uint64_t key, std::uint64_t begin, std::uint32_t n, std::uint32_t k,
                  std::uint64_t* picks) {
  for (std::uint32_t j = 0; j < k; ++j) {
    const std::uint32_t last = n - k + j;
    const std::uint64_t pick = begin + bounded_draw(key, j, last + 1);
    std::uint64_t taken = 0;
    for (std::uint32_t i = 0; i < j; ++i) taken |= picks[i] == pick ? 1 : 0;
    picks[j] = taken != 0 ? begin + last : pick;
  }
}

/// floyd() with a hash table of what is taken: for a k at which its search, which takes k^2 / 2
/// comparisons, is slower.
inline void floyd_with_table(std::uint64_t key, std::uint64_t begin, std::uint32_t n,
                             std::uint32_t k, std::uint64_t* picks) {
  int bits = 1;
  while (std::uint64_t{1} << bits < 2 * std::uint64_t{k}) ++bits;
  const std::size_t mask = (std::size_t{1} << bits) - 1;
  std::uint32_t* const table = new std::uint32_t[mask + 1]();  // entries + 1, 0: free
  const auto is_new = [=](std::uint32_t entry) {
    std::size_t at = (entry * kGoldenStep) >> (64 - bits);
    while (table[at] != 0 && table[at] != entry + 1) at = (at + 1) & mask;
    const bool free = table[at] == 0;
    table[at] = entry + 1;
    return free;
  };
  for (std::uint32_t j = 0; j < k; ++j) {
    const std::uint32_t last = n - k + j;
    std::uint32_t pick = bounded_draw(key, j, last + 1);
    if (!is_new(pick)) is_new(pick = last);
    picks[j] = begin + pick;
  }
  delete[] table;
}

inline constexpr std::uint32_t kSearchedDraws = 256;

inline void floyd_of_any_length(std::uint64_t key, std::uint64_t begin, std::uint32_t n,
                                std::uint32_t k, std::uint64_t* picks) {
  if (k <= kSearchedDraws) return floyd(key, begin, n, k, picks);
  floyd_with_table(key, begin, n, k, picks);
}

#if defined(__AVX512DQ__) && defined(__AVX512CD__)
// Sixteen draws in a register: a fifth of the time of one by one.
inline constexpr std::uint32_t kRegisterDraws = 16;
typedef std::uint64_t Words __attribute__((vector_size(64)));
typedef std::uint32_t Draws __attribute__((vector_size(64)));
inline constexpr Draws kCount = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Draws [0, 16) of a list: 32 random bits each.
inline Words sixteen_bits(std::uint64_t key) {
  constexpr Words kSteps = {kGoldenStep,     2 * kGoldenStep, 3 * kGoldenStep, 4 * kGoldenStep,
                            5 * kGoldenStep, 6 * kGoldenStep, 7 * kGoldenStep, 8 * kGoldenStep};
  return split_mix(key + kSteps);
}

/// The products of the lower halves of eight words.
inline Words halves_product(Words x, Words y) {
  return reinterpret_cast<Words>(
      _mm512_maskz_mul_epu32(0xff, reinterpret_cast<__m512i>(x), reinterpret_cast<__m512i>(y)));
}
/// Even draws of the first, odd ones of the second.
inline Draws interleave(Words even, Words odd) {
  return reinterpret_cast<Draws>(_mm512_mask_blend_epi32(0xaaaa, reinterpret_cast<__m512i>(even),
                                                         reinterpret_cast<__m512i>(odd)));
}
inline __m512i bits_of(Draws x) { return reinterpret_cast<__m512i>(x); }

/// Draws [0, 16) of a list, draw j in [0, n[j]).
inline Draws sixteen_draws(std::uint64_t key, Draws n, __mmask16 wanted) {
  const Words bits = sixteen_bits(key), ranges = reinterpret_cast<Words>(n);
  const Words even = halves_product(bits, ranges), odd = halves_product(bits >> 32, ranges >> 32);
  Draws draws = interleave(even >> 32, odd);
  const Draws low = interleave(even, odd << 32);
  __mmask16 doubtful = _mm512_mask_cmplt_epu32_mask(wanted, bits_of(low), bits_of(n));
  for (; doubtful != 0; doubtful = static_cast<__mmask16>(doubtful & (doubtful - 1))) [[unlikely]] {
      const auto j = static_cast<std::uint32_t>(__builtin_ctz(doubtful));
      draws[j] = bounded_draw(key, j, n[j]);
    }
  return draws;
}

inline Words lower_eight(Draws x) {
  return __builtin_convertvector(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7), Words);
}
inline Words upper_eight(Draws x) {
  return __builtin_convertvector(__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15),
                                 Words);
}
inline void store_words(Words low, Words high, __mmask16 wanted, std::uint64_t* words) {
  _mm512_mask_storeu_epi64(words, static_cast<__mmask8>(wanted), reinterpret_cast<__m512i>(low));
  _mm512_mask_storeu_epi64(words + 8, static_cast<__mmask8>(wanted >> 8),
                           reinterpret_cast<__m512i>(high));
}

inline void store_picks(std::uint64_t begin, Draws draws, __mmask16 wanted, std::uint64_t* picks) {
  store_words(begin + lower_eight(draws), begin + upper_eight(draws), wanted, picks);
}

/// floyd() for k <= 16: the entries taken so far lie in one register. Where all draws differ, the
/// usual case of long lists, none of them is replaced.
inline void floyd_in_register(std::uint64_t key, std::uint64_t begin, std::uint32_t n,
                              std::uint32_t k, std::uint64_t* picks) {
  const auto wanted = static_cast<__mmask16>((1U << k) - 1);
  const Draws last = n - k + kCount;
  Draws draws = sixteen_draws(key, last + 1, wanted);
  const __m512i earlier = _mm512_maskz_conflict_epi32(wanted, bits_of(draws));
  const __mmask16 repeated = _mm512_test_epi32_mask(earlier, earlier);
  if (repeated != 0) {
    // From the first repetition on, in order: what replaces it may be drawn later.
    for (auto j = static_cast<std::uint32_t>(__builtin_ctz(repeated)); j < k; ++j) {
      const auto here = static_cast<__mmask16>(1U << j);
      const __m512i pick =
          _mm512_maskz_permutexvar_epi32(0xffff, bits_of(Draws{} + j), bits_of(draws));
      const auto before = static_cast<__mmask16>(here - 1);
      if (_mm512_mask_cmpeq_epi32_mask(before, bits_of(draws), pick) != 0) {
        draws = reinterpret_cast<Draws>(_mm512_mask_mov_epi32(bits_of(draws), here, bits_of(last)));
      }
    }
  }
  store_picks(begin, draws, wanted, picks);
}
#endif

std::size_t draw_distinct(const ListDraws& args) {
  std::uint64_t* picks = args.picks;
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::uint64_t begin = args.begin[i];
    const std::uint32_t n = args.size[i], k = n < args.k ? n : args.k;
    args.taken[i] = k;
    if (n <= args.k) {
      take_all(args, begin, n, picks);
    } else {
      const std::uint64_t key = list_key(args.key, args.first + i);
#if defined(__AVX512DQ__) && defined(__AVX512CD__)
      if (k <= kRegisterDraws) {
        floyd_in_register(key, begin, n, k, picks);
      } else {
        floyd_of_any_length(key, begin, n, k, picks);
      }
#else
      floyd_of_any_length(key, begin, n, k, picks);
#endif
      for (std::uint32_t j = 0; j < k; ++j) ask_for(args, picks[j]);
    }
    picks += k;
  }
  return static_cast<std::size_t>(picks - args.picks);
}

std::size_t draw_repeated(const ListDraws& args) {
  std::uint64_t* picks = args.picks;
  for (std::size_t i = 0; i < args.count; ++i) {
    const std::uint32_t n = args.size[i], k = n == 0 ? 0 : args.k;
    const std::uint64_t key = list_key(args.key, args.first + i);
    args.taken[i] = k;
    for (std::uint32_t j = 0; j < k; ++j) {
      picks[j] = args.begin[i] + bounded_draw(key, j, n);
      ask_for(args, picks[j]);
    }
    picks += k;
  }
  return static_cast<std::size_t>(picks - args.picks);
}

/// 32 bits of an id that look random, others for each key: two rounds of xor-shift and
/// multiplication, the second half of the key between them. One id, or a register of them.
template <class Ids>
inline Ids id_hash(Ids ids, std::uint64_t key) {
  Ids x = ids ^ static_cast<std::uint32_t>(key);
  x = (x ^ (x >> 16)) * 0x7feb352dU + static_cast<std::uint32_t>(key >> 32);
  x = (x ^ (x >> 15)) * 0x846ca68bU;
  return x ^ (x >> 16);
}

inline constexpr std::size_t kLineIds = 16;  ///< ids in a line of the cache

std::size_t select_hashed(const HashedSelection& from, std::uint64_t* selected) {
  const std::uint32_t *const ids = from.ids, *const next = from.next;
  const std::size_t n = from.num_ids;
  const std::uint64_t key = from.key;
  const std::uint32_t bound = from.bound;
  std::size_t found = 0, i = 0, asked = 0;
#if defined(__AVX512DQ__) && defined(__AVX512CD__)
  // The last register is filled in part: ends of lists one by one would take as long as the rest.
  for (; i < n; i += kRegisterDraws) {
    if (asked < from.num_next) __builtin_prefetch(next + asked);
    asked += kLineIds;
    const std::size_t left = n - i;
    const auto here = static_cast<__mmask16>(left < kRegisterDraws ? (1U << left) - 1 : 0xffff);
    const Draws x = id_hash(reinterpret_cast<Draws>(_mm512_maskz_loadu_epi32(here, ids + i)), key);
    const __mmask16 low = _mm512_mask_cmple_epu32_mask(here, bits_of(x), bits_of(Draws{} + bound));
    if (low == 0) continue;
    // Hash and place of each, one after the other.
    const auto hashes = reinterpret_cast<Draws>(_mm512_maskz_compress_epi32(low, bits_of(x)));
    const auto places = reinterpret_cast<Draws>(
        _mm512_maskz_compress_epi32(low, bits_of(kCount + static_cast<std::uint32_t>(i))));
    const auto count = static_cast<std::uint32_t>(__builtin_popcount(low));
    store_words(lower_eight(hashes) << 32 | lower_eight(places),
                upper_eight(hashes) << 32 | upper_eight(places),
                static_cast<__mmask16>((1U << count) - 1), selected + found);
    found += count;
  }
#elif defined(__AVX2__)
  for (; n - i >= kLanes; i += kLanes) {
    if (asked < from.num_next) __builtin_prefetch(next + asked);
    asked += kLineIds;
    const UVec x = id_hash(UVec(*reinterpret_cast<const UnalignedUVec*>(ids + i)), key);
    const auto is_low = reinterpret_cast<__m256>(x <= UVec{} + bound);
    for (auto low = static_cast<unsigned>(_mm256_movemask_ps(is_low)); low != 0; low &= low - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(low));
      selected[found++] = std::uint64_t{x[lane]} << 32 | (i + lane);
    }
  }
#endif
  for (; i < n; ++i) {
    const std::uint32_t hash = id_hash(ids[i], key);
    selected[found] = std::uint64_t{hash} << 32 | i;
    found += hash <= bound ? 1 : 0;
  }
  for (; asked < from.num_next; asked += kLineIds) __builtin_prefetch(next + asked);
  return found;
}

/// The rank of each value is the number of lower ones: without a branch, as each would go either
/// way.
void sort_lowest(std::uint64_t* values, std::size_t n, std::size_t k) {
  constexpr std::size_t kWords = kVecBytes / sizeof(std::uint64_t);
  typedef std::int64_t Signed __attribute__((vector_size(kVecBytes)));
  alignas(kVecBytes) std::int64_t copy[kMaxSortedLowest], ranks[kMaxSortedLowest];
  // Few instruction sets compare unsigned numbers.
  for (std::size_t i = 0; i < n; ++i) copy[i] = static_cast<std::int64_t>(values[i] ^ kTopBit);
  for (std::size_t i = n; i % kWords != 0; ++i) copy[i] = 0;
  for (std::size_t i = 0; i < n; i += kWords) {
    const Signed own = *reinterpret_cast<const Signed*>(copy + i);
    Signed rank = {};
    for (std::size_t j = 0; j < n; ++j) rank -= Signed{} + copy[j] < own;
    *reinterpret_cast<Signed*>(ranks + i) = rank;
  }
  // All but the k lowest go to one place behind them.
  for (std::size_t i = 0; i < n; ++i) {
    const auto rank = static_cast<std::size_t>(ranks[i]);
    values[rank < k ? rank : k] = static_cast<std::uint64_t>(copy[i]) ^ kTopBit;
  }
}

}  // namespace
}  // namespace frugal
