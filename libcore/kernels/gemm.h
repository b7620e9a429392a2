#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "libcore/base/array.h"
#include "libcore/base/float16.h"
#include "libcore/base/view.h"

// Dense matrix products. A row of C does not depend on how the rows of A are divided among calls,
// on the strides, or on whether B was packed before: its sums run over k in the same order and
// blocks. So dividing the rows among threads changes no bit. Different ISAs and precisions differ
// by rounding.
//
// PackedMatrix stores B [k, n] in panels of kPanelColumns = 32 columns, so that the kernel reads it
// contiguously; columns after n are zero. In f32 a panel is row-major:
//
//              columns 0..31   columns 32..63        memory
//     row 0         A0              B0              A0 A1 A2 ... (k rows of 32 floats: panel 0)
//     row 1         A1              B1              B0 B1 B2 ...                       (panel 1)
//     row 2         A2              B2
//
// In bf16 (AMX, AVX512_BF16) a panel is a column of 32 x 32 blocks, and a block is two tiles of 16
// columns. A tile interleaves two rows of B, because one instruction adds the products of such a
// pair. The first row of a tile is b(0,0) b(1,0) b(0,1) b(1,1) ... b(0,15) b(1,15); the next is
// made of rows 2 and 3. Rows after k are zero.
namespace frugal {

enum class Transpose { no, yes };
/// Precision of a product. bf16: inputs rounded to bf16, sums in f32. AMX and AVX512_BF16 have
/// instructions for it, which treat subnormal numbers as zero; elsewhere bf16 numbers are stored
/// and multiplied as f32. automatic: bf16 if it is faster, i.e. if k and n are large enough and AMX
/// is usable, or AVX512_BF16 on a processor with bf16_dots_are_fast(); else f32.
enum class Precision { f32, bf16, automatic };
inline constexpr std::array<std::string_view, 3> kPrecisionNames = {"f32", "bf16", "auto"};

/// True if this machine has instructions for bf16 products and --simd allows them.
bool has_bf16_instructions();

/// Size in bytes of the second-level cache for which f32 products divide B into blocks of columns:
/// that of this machine unless it is set. No result depends on it.
std::size_t product_cache_bytes();
void set_product_cache_bytes(std::size_t bytes);

/// Computes C = alpha op(A) op(B) + beta C on the calling thread. C is not read if beta is 0, and
/// must not overlap A or B. Shapes are asserted. Keeps up to 2.5 MiB of working memory per thread.
void gemm(MatrixView<const float> a, Transpose transpose_a, MatrixView<const float> b,
          Transpose transpose_b, MatrixView<float> c, float alpha = 1, float beta = 0,
          Precision precision = Precision::f32);

/// Computes C = alpha op(A) B + beta C in f32 and reads B without packing. Each row of B must be
/// readable up to the next multiple of kPanelColumns. It is as fast as with a packed B if the rows
/// of B are in_place_stride(n) apart: an odd number of whole cache lines.
void gemm_in_place(MatrixView<const float> a, Transpose transpose_a, MatrixView<const float> b,
                   MatrixView<float> c, float alpha = 1, float beta = 0);
std::size_t in_place_stride(std::size_t n);

/// Precision of the products that this process has computed: bf16 if any was in bf16.
Precision used_precision();

/// Precision of products with a right-hand side [k, n] on this machine: f32 or bf16.
Precision product_precision(Precision wanted, std::size_t k, std::size_t n);

/// The right-hand side op(B) [k, n] of many products, laid out once for the kernel (see above). It
/// remains valid after set_simd().
class PackedMatrix {
 public:
  PackedMatrix() = default;
  /// Packs op(b). Call it again after the weights have changed; the memory is reused if the shape
  /// is the same.
  void pack(MatrixView<const float> b, Transpose transpose, Precision precision);
  /// Allocates a matrix [k, n] whose parts pack_part() fills.
  void resize(std::size_t k, std::size_t n, Precision precision);
  /// Packs op(part), the part of op(B) that begins at row k_begin and column n_begin. Both must be
  /// multiples of kPanelColumns, and so must its numbers of rows and columns, unless it extends to
  /// the end of op(B). Different threads may pack different parts.
  void pack_part(std::size_t k_begin, std::size_t n_begin, MatrixView<const float> part,
                 Transpose transpose);
  std::size_t k() const { return k_; }
  std::size_t n() const { return n_; }
  /// Precision that the products use: f32 or bf16.
  Precision precision() const { return precision_; }
  /// bf16 numbers in the layout of Kernels::pack_b_bf16(); consecutive panels are panel_size()
  /// numbers apart.
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

/// Computes C = alpha op(A) B + beta C with packed B; op(A): [m, k], C: [m, n].
void gemm_packed(MatrixView<const float> a, Transpose transpose_a, const PackedMatrix& b,
                 MatrixView<float> c, float alpha = 1, float beta = 0);
inline void gemm_packed(MatrixView<const float> a, const PackedMatrix& b, MatrixView<float> c,
                        float alpha = 1, float beta = 0) {
  gemm_packed(a, Transpose::no, b, c, alpha, beta);
}

/// Computes C = alpha A B^T + beta C for a B packed as bf16. A: [m, n], C: [m, at most k]; if C has
/// fewer columns, only as many rows of B are used. The sums are equal to those with B^T packed. The
/// blocks of B^T are made from those of B on the fly, which costs about 0.05 ns per number of B.
void gemm_packed_transposed(MatrixView<const float> a, const PackedMatrix& b, MatrixView<float> c,
                            float alpha = 1, float beta = 0);

}  // namespace frugal
