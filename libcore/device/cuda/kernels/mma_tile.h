#pragma once
/// A 16 x 16 tile of sums of bf16 products, held by the 32 threads of a warp: tensor cores on GPUs
/// from sm_80 on; on the host a plain loop, each thread with eight of the sums.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"
#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <mma.h>
#endif

namespace frugal::cuda {

inline constexpr std::uint32_t kMma = 16;

/// The bits of a bf16 number, rounded to nearest, of two the even one; NaN stays NaN.
FRUGAL_DEVICE std::uint16_t rounded_to_bf16(float x) {
  const std::uint32_t bits = __float_as_uint(x);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1)) >> 16);
}

#if defined(__CUDACC__)
class MmaTile {
 public:
  FRUGAL_DEVICE void clear() {
#if __CUDA_ARCH__ >= 800
    nvcuda::wmma::fill_fragment(sums_, 0.0F);
#endif
  }
  /// += A B of 16 x 16 bf16 each, row by row, in shared memory; by all threads of a warp.
  FRUGAL_DEVICE void add(const std::uint16_t* a, std::uint32_t a_step, const std::uint16_t* b,
                         std::uint32_t b_step) {
#if __CUDA_ARCH__ >= 800
    using namespace nvcuda::wmma;  // NOLINT(google-build-using-namespace)
    fragment<matrix_a, kMma, kMma, kMma, __nv_bfloat16, row_major> left;
    fragment<matrix_b, kMma, kMma, kMma, __nv_bfloat16, row_major> right;
    load_matrix_sync(left, reinterpret_cast<const __nv_bfloat16*>(a), a_step);
    load_matrix_sync(right, reinterpret_cast<const __nv_bfloat16*>(b), b_step);
    mma_sync(sums_, left, right, sums_);
#endif
  }
  /// To shared memory, row by row.
  FRUGAL_DEVICE void store(float* to, std::uint32_t step) const {
#if __CUDA_ARCH__ >= 800
    nvcuda::wmma::store_matrix_sync(to, sums_, step, nvcuda::wmma::mem_row_major);
#endif
  }

 private:
#if __CUDA_ARCH__ >= 800
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, kMma, kMma, kMma, float> sums_;
#endif
};
#else
class MmaTile {
 public:
  void clear() { std::fill_n(sums_, kOwn, 0.0F); }
  void add(const std::uint16_t* a, std::uint32_t a_step, const std::uint16_t* b,
           std::uint32_t b_step) {
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t i = 0; i < kOwn; ++i) {
      const std::uint32_t row = (lane * kOwn + i) / kMma, column = (lane * kOwn + i) % kMma;
      for (std::uint32_t k = 0; k < kMma; ++k) {
        sums_[i] += number(a[row * a_step + k]) * number(b[k * b_step + column]);
      }
    }
    __syncwarp();
  }
  void store(float* to, std::uint32_t step) const {
    const std::uint32_t lane = threadIdx.x % 32;
    for (std::uint32_t i = 0; i < kOwn; ++i) {
      to[(lane * kOwn + i) / kMma * step + (lane * kOwn + i) % kMma] = sums_[i];
    }
    __syncwarp();
  }

 private:
  static constexpr std::uint32_t kOwn = kMma * kMma / 32;
  static float number(std::uint16_t bits) {
    return __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  }
  float sums_[kOwn];
};
#endif

}  // namespace frugal::cuda
