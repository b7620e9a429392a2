// Vector operations on bytes that are converted to wider numbers, in addition to vec.h's for
// floats.
#pragma once
#include "libcore/kernels/bodies/vec.h"

namespace frugal {
namespace {

typedef std::uint8_t Bytes16 __attribute__((vector_size(16)));

/// Zero-extends the first kLanes bytes to 32 bits.
inline UVec widen(Bytes16 v) {
#if defined(__AVX512F__)
  return reinterpret_cast<UVec>(_mm512_maskz_cvtepu8_epi32(0xffff, reinterpret_cast<__m128i>(v)));
#elif defined(__AVX2__)
  return reinterpret_cast<UVec>(_mm256_cvtepu8_epi32(reinterpret_cast<__m128i>(v)));
#elif defined(__SSE4_1__)
  return reinterpret_cast<UVec>(_mm_cvtepu8_epi32(reinterpret_cast<__m128i>(v)));
#else
  return UVec{v[0], v[1], v[2], v[3]};
#endif
}
/// Sign-extends the first kLanes bytes to 32 bits.
inline IVec widen_signed(Bytes16 v) {
#if defined(__AVX512F__)
  return reinterpret_cast<IVec>(_mm512_maskz_cvtepi8_epi32(0xffff, reinterpret_cast<__m128i>(v)));
#elif defined(__AVX2__)
  return reinterpret_cast<IVec>(_mm256_cvtepi8_epi32(reinterpret_cast<__m128i>(v)));
#elif defined(__SSE4_1__)
  return reinterpret_cast<IVec>(_mm_cvtepi8_epi32(reinterpret_cast<__m128i>(v)));
#else
  return reinterpret_cast<IVec>(widen(v) << 24) >> 24;
#endif
}
/// Interleaves the bytes of both words, beginning with `even`.
inline Bytes16 interleaved(std::uint64_t even, std::uint64_t odd) {
  typedef std::uint64_t Words2 __attribute__((vector_size(16)));
  return __builtin_shufflevector(reinterpret_cast<Bytes16>(Words2{even, 0}),
                                 reinterpret_cast<Bytes16>(Words2{odd, 0}), 0, 16, 1, 17, 2, 18, 3,
                                 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

}  // namespace
}  // namespace frugal
