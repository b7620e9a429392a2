#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "libcore/base/array.h"
#include "libcore/base/float16.h"
#include "libcore/base/view.h"

// Dense products. A row of C does not depend on how the rows of A are split into calls, on the
// strides or on whether B was packed beforehand: its sums run over k in the same order and blocks.
// So splitting rows over threads changes no bit. Different ISAs and precisions differ by rounding.
namespace frugal {

enum class Transpose { no, yes };
/// f32 everywhere; bf16 = inputs rounded to bf16, sums in f32 (AMX or AVX512_BF16, which take
/// subnormal numbers for zero), f32 where this machine has neither; automatic = bf16 where it
/// gains: AMX is usable, or AVX512_BF16 on a processor that runs it fast (bf16_dots_are_fast()),
/// and k and n are large enough; else f32.
enum class Precision { f32, bf16, automatic };
inline constexpr std::array<std::string_view, 3> kPrecisionNames = {"f32", "bf16", "auto"};

/// True where this machine has bf16 products (and --simd allows them).
bool bf16_products_available();

/// C = alpha op(A) op(B) + beta C on the calling thread; C is not read where beta is 0, and its
/// memory must not overlap A or B. Shapes are asserted. Keeps up to 2.5 MiB of working memory per
/// thread.
void gemm(MatrixView<const float> a, Transpose transpose_a, MatrixView<const float> b,
          Transpose transpose_b, MatrixView<float> c, float alpha = 1, float beta = 0,
          Precision precision = Precision::f32);

/// C = alpha op(A) B + beta C in f32, B read where it lies: for a B that is laid out to be used so,
/// each of its rows readable up to the next multiple of kPanelColumns. As fast as a packed B where
/// its rows are in_place_stride(n) apart: whole lines of the cache, an odd number of them.
void gemm_in_place(MatrixView<const float> a, Transpose transpose_a, MatrixView<const float> b,
                   MatrixView<float> c, float alpha = 1, float beta = 0);
std::size_t in_place_stride(std::size_t n);

/// bf16 where `wanted` takes it for products with a right-hand side [k, n] on this machine, else
/// f32.
Precision product_precision(Precision wanted, std::size_t k, std::size_t n);

/// The right-hand side op(B): [k, n] of many products, laid out once for the kernel that will use
/// it. Serves every later set_simd() of this process.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  /// Packs op(b); call again after the weights changed. Keeps its memory when the shape stays.
  void pack(MatrixView<const float> b, Transpose transpose, Precision precision);
  /// Makes room for [k, n], whose parts pack_part() fills.
  void resize(std::size_t k, std::size_t n, Precision precision);
  /// Packs op(part), which is rows k_begin and columns n_begin on of op(B). Both are multiples of
  /// kPanelColumns; so are the numbers of rows and columns, unless the part ends where op(B) does.
  /// Different threads may pack different parts.
  void pack_part(std::size_t k_begin, std::size_t n_begin, MatrixView<const float> part,
                 Transpose transpose);
  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  /// f32 or bf16: what the products will use.
  Precision precision() const { return precision_; }
  /// bf16: the numbers as Kernels::pack_b_bf16() lays them out, panel_size() from panel to panel.
  std::span<BFloat16> halves() { return {bf16_.data(), bf16_.size()}; }
  std::span<const BFloat16> halves() const { return {bf16_.data(), bf16_.size()}; }
  std::size_t panel_size() const;

 private:
  friend void gemm_packed(MatrixView<const float> a, Transpose transpose_a, const PackedMatrix& b,
                          MatrixView<float> c, float alpha, float beta);
  std::size_t k_ = 0, n_ = 0;
  Precision precision_ = Precision::f32;
  Array<float> f32_;
  Array<BFloat16> bf16_;
};

/// C = alpha op(A) B + beta C with packed B; op(A): [m, k], C: [m, n].
void gemm_packed(MatrixView<const float> a, Transpose transpose_a, const PackedMatrix& b,
                 MatrixView<float> c, float alpha = 1, float beta = 0);
inline void gemm_packed(MatrixView<const float> a, const PackedMatrix& b, MatrixView<float> c,
                        float alpha = 1, float beta = 0) {
  gemm_packed(a, Transpose::no, b, c, alpha, beta);
}

/// C = alpha A B^T + beta C with a B packed as bf16, or its first rows, as many as C has columns.
/// A: [m, n], C: [m, at most k]. The same sums as with B^T packed, whose blocks this makes from B's
/// as it goes: some 0.05 ns for each number of B.
void gemm_packed_transposed(MatrixView<const float> a, const PackedMatrix& b, MatrixView<float> c,
                            float alpha = 1, float beta = 0);

}  // namespace frugal
