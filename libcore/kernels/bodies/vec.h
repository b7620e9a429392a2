#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// A register of floats, as wide as the compiler flags of the including file allow. GCC and Clang
// turn its operators into vector instructions, so a body is written once for all instruction sets.
// Only this file and vec_bytes.h use intrinsics, for operations without an operator. Everything is
// in an unnamed namespace: if instruction sets shared a function, the linker might keep a copy that
// this CPU cannot run.
namespace frugal {
namespace {

#if defined(__AVX512F__)
inline constexpr std::size_t kVecBytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t kVecBytes = 32;
#else
inline constexpr std::size_t kVecBytes = 16;
#endif
inline constexpr std::size_t kLanes = kVecBytes / sizeof(float);

typedef float Vec __attribute__((vector_size(kVecBytes)));
typedef float UnalignedVec __attribute__((vector_size(kVecBytes), aligned(4), may_alias));
typedef std::int32_t IVec __attribute__((vector_size(kVecBytes)));
typedef std::uint32_t UVec __attribute__((vector_size(kVecBytes)));
typedef std::uint16_t HalfVec __attribute__((vector_size(kVecBytes / 2)));
typedef std::uint16_t UnalignedHalfVec
    __attribute__((vector_size(kVecBytes / 2), aligned(2), may_alias));

inline Vec load(const float* p) { return *reinterpret_cast<const UnalignedVec*>(p); }
inline void store(float* p, Vec v) { *reinterpret_cast<UnalignedVec*>(p) = v; }
/// All lanes are s. s - 0 is s, also for -0 and NaN.
inline Vec splat(float s) { return s - Vec{}; }
inline IVec splat(std::int32_t s) { return s + IVec{}; }
inline Vec select(IVec mask, Vec yes, Vec no) { return mask ? yes : no; }
/// Keeps the compiler from spilling a sum between two additions to it, as GCC 12 does where some of
/// 16 registers have to be free for the addends.
inline void stay_in_register(Vec& v) {
#if defined(__x86_64__)
  asm volatile("" : "+v"(v));
#else
  asm volatile("" : "+w"(v));
#endif
}
/// The larger of each lane; b if a is NaN.
inline Vec larger(Vec a, Vec b) { return select(a > b, a, b); }

typedef std::int8_t BVec __attribute__((vector_size(kVecBytes)));
typedef std::uint32_t UnalignedUVec __attribute__((vector_size(kVecBytes), aligned(1), may_alias));

inline UVec load_words(const std::uint8_t* p) { return *reinterpret_cast<const UnalignedUVec*>(p); }

/// Adds to sum[i] the products of the lower nibbles of bytes 4i to 4i + 3 of w with those bytes of
/// `low`. Likewise multiplies the upper nibbles with `high`. Four products stay below 2^15, so that
/// nothing saturates.
inline IVec add_nibble_products(IVec sum, UVec w, BVec low, BVec high) {
  const UVec a = w & 0x0f0f0f0fU, b = (w >> 4) & 0x0f0f0f0fU;
#if defined(__AVX512BW__)
  const __m512i pairs = _mm512_add_epi16(
      _mm512_maddubs_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(low)),
      _mm512_maddubs_epi16(reinterpret_cast<__m512i>(b), reinterpret_cast<__m512i>(high)));
  return sum + reinterpret_cast<IVec>(_mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
#elif defined(__AVX2__)
  const __m256i pairs = _mm256_add_epi16(
      _mm256_maddubs_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(low)),
      _mm256_maddubs_epi16(reinterpret_cast<__m256i>(b), reinterpret_cast<__m256i>(high)));
  return sum + reinterpret_cast<IVec>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#elif defined(__SSSE3__)
  const __m128i pairs = _mm_add_epi16(
      _mm_maddubs_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(low)),
      _mm_maddubs_epi16(reinterpret_cast<__m128i>(b), reinterpret_cast<__m128i>(high)));
  return sum + reinterpret_cast<IVec>(_mm_madd_epi16(pairs, _mm_set1_epi16(1)));
#else
  const auto products = [](UVec nibbles, BVec x) {
    const int8x16_t n = reinterpret_cast<int8x16_t>(nibbles), v = reinterpret_cast<int8x16_t>(x);
    return vpaddq_s16(vmull_s8(vget_low_s8(n), vget_low_s8(v)),
                      vmull_s8(vget_high_s8(n), vget_high_s8(v)));
  };
  const int16x8_t pairs = vaddq_s16(products(a, low), products(b, high));
  return sum + reinterpret_cast<IVec>(vpaddlq_s16(pairs));
#endif
}

inline Vec sqrt(Vec v) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_ps(0xffff,
                              v);  // the plain one warns of an uninitialised value in GCC 12
#elif defined(__AVX__)
  return _mm256_sqrt_ps(v);
#elif defined(__SSE__)
  return _mm_sqrt_ps(v);
#else
  return vsqrtq_f32(v);
#endif
}

typedef double DVec __attribute__((vector_size(kVecBytes)));
typedef float HalfWideVec __attribute__((vector_size(kVecBytes / 2)));

/// Converts the lower or the upper half of a Vec to doubles.
inline DVec widen_low(Vec v) {
#if defined(__AVX512F__)
  return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7), DVec);
#elif defined(__AVX__)
  return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1, 2, 3), DVec);
#else
  return __builtin_convertvector(__builtin_shufflevector(v, v, 0, 1), DVec);
#endif
}
inline DVec widen_high(Vec v) {
#if defined(__AVX512F__)
  return __builtin_convertvector(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15), DVec);
#elif defined(__AVX__)
  return __builtin_convertvector(__builtin_shufflevector(v, v, 4, 5, 6, 7), DVec);
#else
  return __builtin_convertvector(__builtin_shufflevector(v, v, 2, 3), DVec);
#endif
}
inline Vec narrow(DVec low, DVec high) {
  const HalfWideVec a = __builtin_convertvector(low, HalfWideVec);
  const HalfWideVec b = __builtin_convertvector(high, HalfWideVec);
#if defined(__AVX512F__)
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif defined(__AVX__)
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return __builtin_shufflevector(a, b, 0, 1, 2, 3);
#endif
}
/// Rounds to the nearest integer.
inline DVec round(DVec v) {
#if defined(__AVX512F__)
  return _mm512_maskz_roundscale_pd(0xff, v, _MM_FROUND_TO_NEAREST_INT);
#elif defined(__AVX__)
  return _mm256_round_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__SSE4_1__)
  return _mm_round_pd(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  return vrndnq_f64(v);
#endif
}

#if defined(__AVX512F__)
typedef float Vec256 __attribute__((vector_size(32)));
#endif
#if defined(__AVX__)
typedef float Vec128 __attribute__((vector_size(16)));
#endif

/// Zero-extends 16-bit numbers. GCC 12 compiles __builtin_convertvector() to four instructions here
/// instead of one, which made from_bf16() a quarter slower.
inline UVec widen(HalfVec v) {
#if defined(__AVX512F__)
  return reinterpret_cast<UVec>(_mm512_maskz_cvtepu16_epi32(0xffff, reinterpret_cast<__m256i>(v)));
#elif defined(__AVX2__)
  return reinterpret_cast<UVec>(_mm256_cvtepu16_epi32(reinterpret_cast<__m128i>(v)));
#else
  return __builtin_convertvector(v, UVec);
#endif
}

/// Forces v into a register. GCC 12 would otherwise load it again for each use as an operand, which
/// made attention a sixth slower.
inline Vec in_register(Vec v) {
#if defined(__AVX512F__)
  asm volatile("" : "+v"(v));
#elif defined(__SSE__)
  asm("" : "+x"(v));
#else
  asm volatile("" : "+w"(v));
#endif
  return v;
}

#if defined(__AVX512F__)
inline Vec256 add_halves(Vec v) {
  return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
         __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}
inline Vec128 add_halves(Vec256 v) {
  return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
#elif defined(__AVX__)
inline Vec128 add_halves(Vec v) {
  return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
#endif

/// Lane l of the result is lane l ^ Step of v.
template <std::size_t Step, std::size_t... Lanes>
inline Vec swap_lanes(Vec v, std::index_sequence<Lanes...>) {
  return __builtin_shufflevector(v, v, static_cast<int>((Lanes ^ Step) % kLanes)...);
}
template <std::size_t Step>
inline Vec swap_lanes(Vec v) {
  return swap_lanes<Step>(v, std::make_index_sequence<kLanes>{});
}

/// Reduces the lanes to one: fold(lower half, upper half), repeatedly.
template <class Fold>
inline float fold_lanes(Vec v, Fold fold) {
#if defined(__AVX512F__)
  const Vec256 v8 = fold(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7),
                         __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
#elif defined(__AVX__)
  const Vec v8 = v;
#endif
#if defined(__AVX__)
  const Vec128 v4 = fold(__builtin_shufflevector(v8, v8, 0, 1, 2, 3),
                         __builtin_shufflevector(v8, v8, 4, 5, 6, 7));
#else
  const Vec v4 = v;
#endif
  const auto v2 = fold(v4, __builtin_shufflevector(v4, v4, 2, 3, 2, 3));
  return fold(v2, __builtin_shufflevector(v2, v2, 1, 1, 1, 1))[0];
}
inline float sum(Vec v) {
  return fold_lanes(v, [](auto a, auto b) { return a + b; });
}
inline float max(Vec v) {
  return fold_lanes(v, [](auto a, auto b) { return a > b ? a : b; });
}
inline bool any(IVec mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX__)
  return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
#elif defined(__SSE__)
  return _mm_movemask_ps(reinterpret_cast<__m128>(mask)) != 0;
#else
  return vmaxvq_u32(reinterpret_cast<uint32x4_t>(mask)) != 0;
#endif
}

/// All lanes of a vector. Its counterpart First stands for the last, incomplete vector.
struct Full {
  Vec load(const float* p) const { return frugal::load(p); }
  void store(float* p, Vec v) const { frugal::store(p, v); }
  /// v in the lanes in use, `other` elsewhere.
  Vec keep(Vec v, float) const { return v; }
};

/// The first n lanes, 0 < n < kLanes. The other lanes are neither read nor written, and load as 0.
class First {
 public:
  explicit First(std::size_t n) : n_(n) {
    for (std::size_t i = 0; i < kLanes; ++i) mask_[i] = i < n ? -1 : 0;
  }
#if defined(__AVX512F__)
  Vec load(const float* p) const { return _mm512_maskz_loadu_ps(bits(), p); }
  void store(float* p, Vec v) const { _mm512_mask_storeu_ps(p, bits(), v); }
#elif defined(__AVX__)
  Vec load(const float* p) const { return _mm256_maskload_ps(p, reinterpret_cast<__m256i>(mask_)); }
  void store(float* p, Vec v) const { _mm256_maskstore_ps(p, reinterpret_cast<__m256i>(mask_), v); }
#else
  Vec load(const float* p) const {
    Vec v{};
    for (std::size_t i = 0; i < n_; ++i) v[i] = p[i];
    return v;
  }
  void store(float* p, Vec v) const {
    for (std::size_t i = 0; i < n_; ++i) p[i] = v[i];
  }
#endif
  Vec keep(Vec v, float other) const { return select(mask_, v, splat(other)); }
  std::size_t size() const { return n_; }

 private:
#if defined(__AVX512F__)
  __mmask16 bits() const { return static_cast<__mmask16>((1u << n_) - 1); }
#endif
  std::size_t n_;
  IVec mask_;
};

/// a0 b0 a1 b1 ... of the lower halves, or of the upper halves, of a and b.
inline Vec interleave_low(Vec a, Vec b) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
#elif defined(__AVX__)
  return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#else
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#endif
}
inline Vec interleave_high(Vec a, Vec b) {
#if defined(__AVX512F__)
  return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                 31);
#elif defined(__AVX__)
  return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#else
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

/// Transposes a block: to[i * to_stride + j] = from[j * from_stride + i] for i < rows <= kLanes and
/// j < kLanes. It works in registers by log2(kLanes) perfect shuffles; each moves one bit of the
/// lane's index to the row's index.
inline void transpose_block(const float* from, std::size_t from_stride, std::size_t rows, float* to,
                            std::size_t to_stride) {
  Vec v[kLanes], shuffled[kLanes];
  if (rows == kLanes) {
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kLanes; ++j) v[j] = load(from + j * from_stride);
  } else {
    const First part(rows);
#pragma GCC unroll 16
    for (std::size_t j = 0; j < kLanes; ++j) v[j] = part.load(from + j * from_stride);
  }
#pragma GCC unroll 4
  for (std::size_t step = 1; step < kLanes; step *= 2) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kLanes / 2; ++i) {
      shuffled[2 * i] = interleave_low(v[i], v[i + kLanes / 2]);
      shuffled[2 * i + 1] = interleave_high(v[i], v[i + kLanes / 2]);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLanes; ++i) v[i] = shuffled[i];
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (i < rows) store(to + i * to_stride, v[i]);
  }
}

/// Transposes: to[i * to_stride + j] = from[j * from_stride + i] for i < rows and j < cols.
inline void transpose(const float* from, std::size_t from_stride, std::size_t rows,
                      std::size_t cols, float* to, std::size_t to_stride) {
  const std::size_t whole = cols / kLanes * kLanes;
  for (std::size_t j = 0; j < whole; j += kLanes) {
    for (std::size_t i = 0; i < rows; i += kLanes) {
      transpose_block(from + j * from_stride + i, from_stride,
                      rows - i < kLanes ? rows - i : kLanes, to + i * to_stride + j, to_stride);
    }
  }
  for (std::size_t j = whole; j < cols; ++j) {
    for (std::size_t i = 0; i < rows; ++i) to[i * to_stride + j] = from[j * from_stride + i];
  }
}

/// Calls body(i, part) for every vector of n floats; part is Full, or First for an incomplete last
/// vector.
template <class Body>
inline void for_each_vec(std::size_t n, Body body) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) body(i, Full{});
  if (i < n) body(i, First(n - i));
}

/// Sum of term(i, part) over n floats; terms must be 0 in unused lanes. Four partial sums hide the
/// latency of the addition (1.4 to 3 times faster than one at n = 1024); blocks are added in
/// double, which keeps long sums accurate.
template <class Term>
inline double sum_of(std::size_t n, Term term) {
  constexpr std::size_t kBlock = 4096;
  double total = 0;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t end = n - begin < kBlock ? n : begin + kBlock;
    Vec s0{}, s1{}, s2{}, s3{};
    std::size_t i = begin;
    for (; i + 4 * kLanes <= end; i += 4 * kLanes) {
      s0 += term(i, Full{});
      s1 += term(i + kLanes, Full{});
      s2 += term(i + 2 * kLanes, Full{});
      s3 += term(i + 3 * kLanes, Full{});
    }
    for (; i + kLanes <= end; i += kLanes) s0 += term(i, Full{});
    if (i < end) s1 += term(i, First(end - i));
    total += static_cast<double>(sum((s0 + s1) + (s2 + s3)));
  }
  return total;
}

}  // namespace
}  // namespace frugal
