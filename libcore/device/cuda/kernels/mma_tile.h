#pragma once
/// A 16 x 16 tile of sums of bf16 products, held by the 32 threads of a warp. On GPUs from sm_80 on
/// it uses tensor cores ("Matrix multiply-accumulate" in the PTX ISA: mma.m16n8k16, ldmatrix); on
/// the host these instructions are emulated lane by lane.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"
#ifdef __CUDACC__
#include <cuda_bf16.h>
#else
#include "libcore/device/cuda/host_matrices.h"
#endif

namespace frugal::cuda {

inline constexpr std::uint32_t kMma = 16;
/// Alignment, in numbers, of the rows of tiles in shared memory: 16 bytes.
inline constexpr std::uint32_t kMmaAligned = 8;

/// Bits of x as bf16, rounded to nearest, ties to even; NaN stays NaN.
FRUGAL_DEVICE std::uint16_t rounded_to_bf16(float x) {
#ifdef __CUDACC__
  return __bfloat16_as_ushort(__float2bfloat16_rn(x));
#else
  const std::uint32_t bits = __float_as_uint(x);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1)) >> 16);
#endif
}
FRUGAL_DEVICE float bf16_number(std::uint16_t bits) {
  return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
}

/// Two numbers rounded to bf16, the first in the low half.
FRUGAL_DEVICE std::uint32_t bf16_pair(float low, float high) {
#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800
  std::uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
#else
  return rounded_to_bf16(low) | static_cast<std::uint32_t>(rounded_to_bf16(high)) << 16;
#endif
}

/// Four 8 x 8 tiles of bf16, distributed as by ldmatrix: each thread holds a pair of numbers of
/// each tile.
struct MmaPairs {
  std::uint32_t pairs[4];
};

/// Loads four tiles from shared memory; lanes 8 i to 8 i + 7 pass the rows of tile i.
FRUGAL_DEVICE void load_matrices(const std::uint16_t* row, bool transposed, MmaPairs& to) {
#ifndef __CUDACC__
  host_cuda::load_matrices(row, transposed, to.pairs);
#elif __CUDA_ARCH__ >= 800
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  if (transposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to.pairs[0]), "=r"(to.pairs[1]), "=r"(to.pairs[2]), "=r"(to.pairs[3])
                 : "r"(at)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to.pairs[0]), "=r"(to.pairs[1]), "=r"(to.pairs[2]), "=r"(to.pairs[3])
                 : "r"(at)
                 : "memory");
  }
#endif
}

/// c [16, 8] += a [16, 16] b [16, 8]; the pairs of b are two of four.
FRUGAL_DEVICE void multiply_matrices(float* c, const MmaPairs& a, const std::uint32_t* b) {
#ifndef __CUDACC__
  host_cuda::multiply_matrices(c, a.pairs, b);
#elif __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.pairs[0]), "r"(a.pairs[1]), "r"(a.pairs[2]), "r"(a.pairs[3]), "r"(b[0]), "r"(b[1]));
#endif
}

/// 16 rows of A or, if not kLeft, 16 columns of B, over 16 numbers of the depth.
template <bool kLeft>
struct MmaFactor : MmaPairs {
  /// Loads from shared memory [row or column, depth] or, if kDepthFirst, [depth, row or column]; by
  /// all threads of a warp.
  template <bool kDepthFirst>
  FRUGAL_DEVICE void load(const std::uint16_t* from, std::uint32_t step) {
    const std::uint32_t lane = threadIdx.x % 32, in = lane % 8, low = lane / 8 % 2 * 8,
                        high = lane / 16 * 8;
    const std::uint16_t* row =
        kDepthFirst == kLeft ? from + (in + high) * step + low : from + (in + low) * step + high;
    load_matrices(row, kDepthFirst, *this);
  }
};
using MmaLeft = MmaFactor<true>;
using MmaRight = MmaFactor<false>;

class MmaTile {
 public:
  FRUGAL_DEVICE void clear() {
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kOwn; ++i) sums_[i] = 0;
  }

  /// Adds A B; by all threads of a warp.
  FRUGAL_DEVICE void add(const MmaLeft& a, const MmaRight& b) {
    FRUGAL_UNROLL
    for (std::uint32_t half = 0; half < 2; ++half) {
      multiply_matrices(sums_ + 4 * half, a, b.pairs + 2 * half);
    }
  }

  /// The sums rounded to bf16, as rows of A.
  FRUGAL_DEVICE MmaLeft rounded() const {
    MmaLeft left{};
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kOwn / 2; ++i) {
      left.pairs[i] = bf16_pair(sums_[2 * i], sums_[2 * i + 1]);
    }
    return left;
  }

  /// Calls use(row, column, sum) for the thread's own sums; columns 2 i and 2 i + 1 follow each
  /// other.
  template <class Use>
  FRUGAL_DEVICE void for_each(const Use& use) {
    const std::uint32_t lane = threadIdx.x % 32;
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kOwn; ++i) {
      use(lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8, sums_[i]);
    }
  }

 private:
  static constexpr std::uint32_t kOwn = kMma * kMma / 32;
  float sums_[kOwn];
};

}  // namespace frugal::cuda
