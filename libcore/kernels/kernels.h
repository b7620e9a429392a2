#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/base/float16.h"
#include "libcore/system/cpu.h"

namespace frugal {

/// Arguments of a dense product C = alpha * op(A) op(B) + beta * C, all row-major.
/// op(A): [m, k], op(B): [k, n], C: [m, n]; lda, ldb, ldc are row strides of the stored matrices.
struct GemmArgs {
  std::size_t m = 0, n = 0, k = 0;
  bool transpose_a = false, transpose_b = false;
  const float* a = nullptr;
  std::size_t lda = 0;
  const float* b = nullptr;
  std::size_t ldb = 0;
  float* c = nullptr;
  std::size_t ldc = 0;
  float alpha = 1, beta = 0;
};

/// Every hot loop, once per instruction set (bodies in kernels/bodies/, compiled per ISA). Plain pointers
/// and sizes: a kernel never allocates, throws or starts a thread. Arrays may be unaligned and must not
/// overlap unless said. Results differ between ISAs by rounding only.
struct Kernels {
  SimdLevel level;
  const char* name;

  // Vectors of n floats.
  float (*dot)(const float* x, const float* y, std::size_t n);
  void (*axpy)(float a, const float* x, float* y, std::size_t n);  ///< y += a x
  void (*scale)(float a, float* x, std::size_t n);                 ///< x *= a
  float (*max)(const float* x, std::size_t n);                     ///< -inf for n = 0
  /// x[i] = exp(x[i] - shift); returns the sum. Relative error below 2e-7 where the result is normal.
  float (*exp_sum)(float* x, float shift, std::size_t n);
  void (*sigmoid)(float* x, std::size_t n);                        ///< x = 1 / (1 + exp(-x))
  void (*relu)(float* x, std::size_t n);
  void (*relu_backward)(const float* y, float* dy, std::size_t n); ///< dy[i] = y[i] > 0 ? dy[i] : 0
  bool (*all_finite)(const float* x, std::size_t n);

  // Embedding bags. table: rows of `dim` floats, `stride` apart; weights may be null (all 1).
  /// out[dim] += sum_j weights[j] * table[rows[j]].
  void (*gather_sum)(const float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                     const float* weights, std::size_t n, float* out);
  /// table[rows[j]] += a * weights[j] * x, the transpose; rows may repeat.
  void (*scatter_add)(float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                      const float* weights, std::size_t n, float a, const float* x);
  /// out[j] = table[rows[j]], out rows `out_stride` apart.
  void (*gather_rows)(const float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                      std::size_t n, float* out, std::size_t out_stride);

  // Optimiser steps on n parameters w with gradient g.
  /// h += g^2; w -= lr g / (sqrt(h) + eps).
  void (*adagrad)(float* w, float* h, const float* g, std::size_t n, float lr, float eps);
  /// m, v: first and second moments; lr already holds the bias corrections.
  void (*adam)(float* w, float* m, float* v, const float* g, std::size_t n, float lr, float beta1,
               float beta2, float eps);

  // Conversions, round to nearest even.
  void (*to_bf16)(const float* x, BFloat16* y, std::size_t n);
  void (*from_bf16)(const BFloat16* x, float* y, std::size_t n);

  /// f32 product on one thread. Use gemm() in gemm.h, which packs, blocks and picks the precision.
  void (*gemm_f32)(const GemmArgs& args);
};

/// The table in use: the best that this CPU runs, or what --simd / FRUGAL_SIMD names (set_simd()).
const Kernels& kernels();
/// Null where this build or CPU lacks the level.
const Kernels* kernels_for(SimdLevel level);
/// Levels that this build has and this machine runs, lowest first: what tests iterate over.
std::vector<SimdLevel> available_simd_levels();
/// "auto" or a level's name; fails (usage, 2 for an unknown name; unavailable, 69 for one that this CPU
/// cannot run, with the reason).
void set_simd(const char* name);

}  // namespace frugal
