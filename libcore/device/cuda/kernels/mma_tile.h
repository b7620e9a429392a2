#pragma once
/// A 16 x 16 tile of sums of bf16 products, held by the 32 threads of a warp: tensor cores on GPUs
/// from sm_80 on ("Matrix multiply-accumulate" in the PTX ISA: mma.m16n8k16, ldmatrix); on the host
/// a plain loop, each thread with the same eight of the sums.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"
#ifdef __CUDACC__
#include <cuda_bf16.h>
#endif

namespace frugal::cuda {

inline constexpr std::uint32_t kMma = 16;
/// Numbers that rows of tiles in shared memory are a multiple of: 16 bytes.
inline constexpr std::uint32_t kMmaAligned = 8;

/// The bits of a bf16 number, rounded to nearest, of two the even one; NaN stays NaN.
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

/// Four 8 x 8 tiles of shared memory, a row's pair of numbers a thread; lanes 8 i to 8 i + 7 name
/// the rows of tile i. The host keeps what a thread multiplies: rows of A, or columns of B.
struct MmaPart {
#ifdef __CUDACC__
  std::uint32_t pairs[4];
  template <bool kTransposed>
  FRUGAL_DEVICE void load(const std::uint16_t* row) {
#if __CUDA_ARCH__ >= 800
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
    if (kTransposed) {
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
                   : "r"(at)
                   : "memory");
    } else {
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
                   : "r"(at)
                   : "memory");
    }
#endif
  }
#else
  float numbers[4][kMma];
  void keep(std::uint32_t slot, std::uint32_t outer, const std::uint16_t* from, std::uint32_t step,
            bool depth_first) {
    host_cuda::check_aligned(from, kMmaAligned * sizeof(std::uint16_t));
    host_cuda::check_aligned(from + step, kMmaAligned * sizeof(std::uint16_t));
    for (std::uint32_t k = 0; k < kMma; ++k) {
      numbers[slot][k] = bf16_number(from[depth_first ? k * step + outer : outer * step + k]);
    }
  }
#endif
};

/// 16 rows of A and 16 numbers of the depth.
struct MmaLeft : MmaPart {
  /// From shared memory [row, depth] or, kDepthFirst, [depth, row]; by all threads of a warp.
  template <bool kDepthFirst>
  FRUGAL_DEVICE void load(const std::uint16_t* from, std::uint32_t step) {
#ifdef __CUDACC__
    const std::uint32_t lane = threadIdx.x % 32, in = lane % 8, low = lane / 8 % 2 * 8,
                        high = lane / 16 * 8;
    MmaPart::load<kDepthFirst>(kDepthFirst ? from + (in + high) * step + low
                                           : from + (in + low) * step + high);
#else
    const std::uint32_t row = threadIdx.x % 32 / 4;
    for (std::uint32_t i = 0; i < 2; ++i) keep(i, row + i * 8, from, step, kDepthFirst);
    __syncwarp();
#endif
  }
};

/// 16 columns of B and 16 numbers of the depth.
struct MmaRight : MmaPart {
  /// From shared memory [column, depth] or, kDepthFirst, [depth, column].
  template <bool kDepthFirst>
  FRUGAL_DEVICE void load(const std::uint16_t* from, std::uint32_t step) {
#ifdef __CUDACC__
    const std::uint32_t lane = threadIdx.x % 32, in = lane % 8, low = lane / 8 % 2 * 8,
                        high = lane / 16 * 8;
    MmaPart::load<kDepthFirst>(kDepthFirst ? from + (in + low) * step + high
                                           : from + (in + high) * step + low);
#else
    const std::uint32_t column = threadIdx.x % 4 * 2;
    for (std::uint32_t i = 0; i < 4; ++i) {
      keep(i, column + i % 2 + i / 2 * 8, from, step, kDepthFirst);
    }
    __syncwarp();
#endif
  }
};

class MmaTile {
 public:
  FRUGAL_DEVICE void clear() {
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kOwn; ++i) sums_[i] = 0;
  }

  /// += A B; by all threads of a warp.
  FRUGAL_DEVICE void add(const MmaLeft& a, const MmaRight& b) {
#ifdef __CUDACC__
#if __CUDA_ARCH__ >= 800
    FRUGAL_UNROLL
    for (std::uint32_t half = 0; half < 2; ++half) {
      float* c = sums_ + 4 * half;
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "r"(a.pairs[0]), "r"(a.pairs[1]), "r"(a.pairs[2]), "r"(a.pairs[3]),
            "r"(b.pairs[2 * half]), "r"(b.pairs[2 * half + 1]));
    }
#endif
#else
    for (std::uint32_t i = 0; i < kOwn; ++i) {
      for (std::uint32_t k = 0; k < kMma; ++k) {
        sums_[i] += a.numbers[i / 2 % 2][k] * b.numbers[i % 2 + i / 4 * 2][k];
      }
    }
#endif
  }

  /// The sums, rounded to bf16, as rows of A; by all threads of a warp.
  FRUGAL_DEVICE MmaLeft rounded() const {
    MmaLeft left{};
#ifdef __CUDACC__
#if __CUDA_ARCH__ >= 800
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kOwn / 2; ++i) {
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
          : "=r"(left.pairs[i])
          : "f"(sums_[2 * i + 1]), "f"(sums_[2 * i]));
    }
#endif
#else
    static thread_local const float* sums[32][32];
    const std::uint32_t lane = threadIdx.x % 32;
    auto& of_lanes = sums[threadIdx.x / 32];
    of_lanes[lane] = sums_;
    __syncwarp();
    for (std::uint32_t k = 0; k < kMma; ++k) {  // as for_each() goes over them
      const float* from = of_lanes[lane / 4 * 4 + k % 8 / 2] + k % 2 + k / 8 * 4;
      for (std::uint32_t i = 0; i < 2; ++i) {
        left.numbers[i][k] = bf16_number(rounded_to_bf16(from[2 * i]));
      }
    }
    __syncwarp();
#endif
    return left;
  }

  /// use(row, column, sum) for the thread's own sums; columns 2 i and 2 i + 1 come one after the
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
