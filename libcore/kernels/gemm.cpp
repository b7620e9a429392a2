#include "libcore/kernels/gemm.h"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "libcore/kernels/gemm_blocks.h"
#include "libcore/kernels/kernels.h"
#include "libcore/system/cores/cache_table.h"

namespace frugal {
namespace {

/// op(matrix): element (i, j) at data[i * row + j * col].
struct Operand {
  const float* data;
  std::size_t rows, cols, row, col;

  Operand(MatrixView<const float> m, Transpose transpose)
      : data(m.data), rows(m.rows), cols(m.cols), row(m.stride), col(1) {
    if (transpose == Transpose::yes) {
      std::swap(rows, cols);
      std::swap(row, col);
    }
  }
  const float* at(std::size_t i, std::size_t j) const { return data + i * row + j * col; }
  PackArgs pack_args(std::size_t k_begin, std::size_t k_size, std::size_t n_begin,
                     std::size_t n_size) const {
    return {.b = at(k_begin, n_begin), .row = row, .col = col, .k = k_size, .n = n_size};
  }
};

/// Where C goes and how it is combined.
struct Result {
  MatrixView<float> c;
  float alpha, beta;
};

/// Panels of B that are not packed in whole: this many columns at a time.
constexpr std::size_t kPackColumns = 512;
/// Rows of A rounded to bf16 at a time, and how deep: with the panels about 1.3 MiB.
constexpr std::size_t kRoundRows = 256;
constexpr std::size_t kRoundDepth = 2 * kGemmDepthBf16;

std::size_t round_up(std::size_t n, std::size_t multiple) {
  return (n + multiple - 1) / multiple * multiple;
}

/// Working memory that a thread keeps from product to product.
template <class T>
T* at_least(Array<T>& memory, std::size_t size) {
  if (memory.size() < size) memory = Array<T>(size, uninitialized);
  return memory.data();
}
thread_local Array<float> panel_memory;
thread_local Array<BFloat16> panel_memory_bf16, rounded_memory;

/// On AMX, below some 64 x 64 of B, rounding A and filling whole tiles costs more than they save.
/// Dots of pairs, measured on Zen 4 with 1 to 1024 rows and B in the second- or third-level cache:
/// 1.5 to 2.7 times f32 from 64 x 64 on, 1.2 and more with 4 rows and more from 16 x 16 on, 1.0 at
/// 8 x 8; X^T dY, both rounded, 1.0 with 4 rows, 1.25 with 8, 1.7 with 30.
bool use_bf16(Precision precision, std::size_t k, std::size_t n) {
  if (precision == Precision::f32 || k == 0) return false;
  if (precision == Precision::bf16) return true;
  if (!has_bf16_instructions()) return false;
  if (kernels().level == SimdLevel::v4bf16) return bf16_dots_are_fast() && k >= 16 && n >= 16;
  return k >= 64 && n >= 64;
}

/// Size of the first CPU's second-level cache; 512 KiB, a small one, if the kernel does not say it.
std::size_t second_level_cache() {
  const auto bytes = static_cast<std::size_t>(CacheTable("/", {0}).bytes_of(0, 2));
  return bytes == 0 ? std::size_t{512} << 10 : bytes;
}
std::atomic<std::size_t> cache_bytes = 0;
std::atomic<bool> bf16_used = false;

/// Columns of B whose panels leave room for A and C in the second-level cache: 3/4 of it with
/// AVX-512, whose strips of 12 rows read B half as often, else 3/8. Zen 4, 1 MiB, 1500 x 1500 x
/// 1500: AVX-512 108 GFLOP/s (105 with 3/8), AVX2 105 (98 with 3/4).
std::size_t block_columns(std::size_t k, std::size_t n) {
  constexpr std::size_t kLeast = 128, kMost = 512;
  if (n <= kLeast || k == 0) return kMost;
  const std::size_t share = kernels().level == SimdLevel::v2 || kernels().level == SimdLevel::v3
                                ? product_cache_bytes() * 3 / 8
                                : product_cache_bytes() * 3 / 4;
  const std::size_t columns = share / (std::min(k, kGemmDepth) * sizeof(float));
  return std::clamp(columns / kPanelColumns * kPanelColumns, kLeast, kMost);
}

GemmArgs f32_args(const Operand& a, const Result& result) {
  return {.m = a.rows,
          .n = result.c.cols,
          .k = a.cols,
          .a = a.data,
          .a_row = a.row,
          .a_col = a.col,
          .c = result.c.data,
          .ldc = result.c.stride,
          .alpha = result.alpha,
          .beta = result.beta,
          .block_columns = block_columns(a.cols, result.c.cols)};
}

/// Blocks of B are packed as the kernel asks for them: the same sums as with B packed in whole.
void multiply_packing(const Operand& a, const Operand& b, const Result& result) {
  const Kernels& kernel = kernels();
  GemmArgs args = f32_args(a, result);
  for (std::size_t j = 0; j < b.cols; j += kPackColumns) {
    args.n = std::min(kPackColumns, b.cols - j);
    args.c = result.c.data + j;
    std::size_t p = 0;
    do {
      args.k = std::min(kGemmDepth, a.cols - p);
      float* panels = at_least(panel_memory, args.k * round_up(args.n, kPanelColumns));
      kernel.pack_b(b.pack_args(p, args.k, j, args.n), panels);
      args.a = a.at(0, p);
      args.b = panels;
      args.b_panel = args.k * kPanelColumns;
      args.beta = p == 0 ? result.beta : 1;
      kernel.gemm_f32(args);
      p += args.k;
    } while (p < a.cols);
  }
}

/// Packing costs as much as some rows of the product. Long rows of B compete for few places of the
/// cache, so there packing pays earlier (measured with k = 372 and n = 200 to 4096, AVX-512).
bool packing_is_dear(const Operand& a, const Operand& b) {
  return b.col == 1 && a.rows <= (b.row <= 512 ? 64 : 24);
}

/// Row-major B is read in place, but for the columns behind the last whole panel.
void multiply_in_place(const Operand& a, const Operand& b, const Result& result) {
  const std::size_t whole = b.cols / kPanelColumns * kPanelColumns;
  GemmArgs args = f32_args(a, result);
  args.n = whole;
  args.b = b.data;
  args.b_panel = kPanelColumns;
  args.b_row = b.row;
  kernels().gemm_f32(args);
  if (whole == b.cols) return;
  Operand rest = b;
  rest.data += whole;
  rest.cols -= whole;
  Result rest_result = result;
  rest_result.c.data += whole;
  rest_result.c.cols -= whole;
  multiply_packing(a, rest, rest_result);
}

/// Packed B from its row `p` (a multiple of 32) on: `depth` rows for the columns of `result`.
struct Bf16Panels {
  const BFloat16* data;
  std::size_t panel, p, depth;
};

void multiply_bf16(const Operand& a, const Bf16Panels& b, const Result& result) {
  const Kernels& kernel = kernels();
  if (!bf16_used.load(std::memory_order_relaxed)) bf16_used = true;
  // An odd number of lines: rows a power of two apart would collide in the cache.
  const std::size_t row = (round_up(b.depth, kTileBlock) / kTileBlock | 1) * kTileBlock;
  BFloat16* rounded = at_least(rounded_memory, kRoundRows * row);
  for (std::size_t i = 0; i < a.rows; i += kRoundRows) {
    const std::size_t rows = std::min(kRoundRows, a.rows - i);
    kernel.pack_a_bf16({.a = a.at(i, b.p),
                        .row = a.row,
                        .col = a.col,
                        .rows = rows,
                        .depth = b.depth,
                        .out = rounded,
                        .out_row = row});
    kernel.gemm_bf16({.m = rows,
                      .n = result.c.cols,
                      .k = b.depth,
                      .a = rounded,
                      .a_row = row,
                      .b = b.data,
                      .b_panel = b.panel,
                      .c = result.c.row(i),
                      .ldc = result.c.stride,
                      .alpha = result.alpha,
                      .beta = result.beta});
  }
}

/// Calls multiply(p, depth, beta) for the blocks of k that bf16 products are summed in.
template <class Multiply>
void for_each_depth(std::size_t k, float beta, Multiply multiply) {
  for (std::size_t p = 0; p < k; p += kRoundDepth) {
    multiply(p, std::min(kRoundDepth, k - p), p == 0 ? beta : 1);
  }
}

/// Rows [p, p + depth) and columns [j, j + n) of a right-hand side.
struct Bf16Part {
  std::size_t p, depth, j, n;

  std::size_t panel() const { return round_up(depth, kTileBlock) * kPanelColumns; }
};

/// C = alpha A B + beta C with a B whose parts pack(part, panels) lays out as they are needed.
template <class Pack>
void multiply_bf16_packing(const Operand& a, const Result& result, Pack pack) {
  for (std::size_t j = 0; j < result.c.cols; j += kPackColumns) {
    const std::size_t n = std::min(kPackColumns, result.c.cols - j);
    for_each_depth(a.cols, result.beta, [&](std::size_t p, std::size_t depth, float beta) {
      const Bf16Part part{p, depth, j, n};
      const std::size_t size = part.panel() * (round_up(n, kPanelColumns) / kPanelColumns);
      BFloat16* panels = at_least(panel_memory_bf16, size);
      pack(part, panels);
      const MatrixView<float> c(result.c.data + j, result.c.rows, n, result.c.stride);
      multiply_bf16(a, {panels, part.panel(), p, depth}, {c, result.alpha, beta});
    });
  }
}

}  // namespace

std::size_t product_cache_bytes() {
  if (cache_bytes == 0) cache_bytes = second_level_cache();
  return cache_bytes;
}
void set_product_cache_bytes(std::size_t bytes) { cache_bytes = bytes; }

bool has_bf16_instructions() {
  return kernels().level == SimdLevel::v4bf16 || kernels().level == SimdLevel::amx;
}

// NOLINTNEXTLINE(readability-function-size): the parameters of BLAS
void gemm(MatrixView<const float> a, Transpose transpose_a, MatrixView<const float> b,
          Transpose transpose_b, MatrixView<float> c, float alpha, float beta,
          Precision precision) {
  const Operand left(a, transpose_a), right(b, transpose_b);
  assert(left.cols == right.rows && left.rows == c.rows && right.cols == c.cols);
  const Result result{c, alpha, beta};
  if (c.rows == 0 || c.cols == 0) return;
  if (use_bf16(precision, left.cols, right.cols)) {
    multiply_bf16_packing(left, result, [&](const Bf16Part& part, BFloat16* panels) {
      kernels().pack_b_bf16(right.pack_args(part.p, part.depth, part.j, part.n), panels);
    });
  } else if (packing_is_dear(left, right)) {
    multiply_in_place(left, right, result);
  } else {
    multiply_packing(left, right, result);
  }
}

void gemm_in_place(MatrixView<const float> a, Transpose transpose_a, MatrixView<const float> b,
                   MatrixView<float> c, float alpha, float beta) {
  const Operand left(a, transpose_a);
  assert(left.cols == b.rows && left.rows == c.rows && b.cols == c.cols);
  assert(b.stride >= round_up(b.cols, kPanelColumns));
  GemmArgs args = f32_args(left, {c, alpha, beta});
  args.b = b.data;
  args.b_panel = kPanelColumns;
  args.b_row = b.stride;
  kernels().gemm_f32(args);
}

std::size_t in_place_stride(std::size_t n) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  const std::size_t stride = round_up(n, kPanelColumns);
  return stride / kLine % 2 == 0 ? stride + kLine : stride;
}

Precision used_precision() { return bf16_used ? Precision::bf16 : Precision::f32; }

Precision product_precision(Precision wanted, std::size_t k, std::size_t n) {
  return use_bf16(wanted, k, n) ? Precision::bf16 : Precision::f32;
}

void PackedMatrix::resize(std::size_t k, std::size_t n, Precision precision) {
  k_ = k;
  n_ = n;
  precision_ = product_precision(precision, k, n);
  const std::size_t cols = round_up(n, kPanelColumns);
  if (precision_ == Precision::bf16) {
    const std::size_t size = round_up(k, kTileBlock) * cols;
    if (bf16_.size() != size) bf16_ = Array<BFloat16>(size, uninitialized);
  } else if (f32_.size() != k * cols) {
    f32_ = Array<float>(k * cols, uninitialized);
  }
}

void PackedMatrix::pack(MatrixView<const float> b, Transpose transpose, Precision precision) {
  const Operand right(b, transpose);
  resize(right.rows, right.cols, precision);
  const PackArgs args = right.pack_args(0, k_, 0, n_);
  if (precision_ == Precision::bf16) {
    kernels().pack_b_bf16(args, bf16_.data());
  } else {
    kernels().pack_b(args, f32_.data());
  }
}

void PackedMatrix::pack_part(std::size_t k_begin, std::size_t n_begin, MatrixView<const float> part,
                             Transpose transpose) {
  const Operand right(part, transpose);
  assert(k_begin % kPanelColumns == 0 && n_begin % kPanelColumns == 0);
  assert(right.rows % kPanelColumns == 0 || k_begin + right.rows == k_);
  assert(right.cols % kPanelColumns == 0 || n_begin + right.cols == n_);
  for (std::size_t j = 0; j < right.cols; j += kPanelColumns) {
    const PackArgs args =
        right.pack_args(0, right.rows, j, std::min(kPanelColumns, right.cols - j));
    if (precision_ == Precision::bf16) {
      kernels().pack_b_bf16(args, bf16_.data() + (n_begin + j) / kPanelColumns * panel_size() +
                                      k_begin * kPanelColumns);
    } else {
      kernels().pack_b(args, f32_.data() + (n_begin + j) * k_ + k_begin * kPanelColumns);
    }
  }
}

std::size_t PackedMatrix::panel_size() const { return round_up(k_, kTileBlock) * kPanelColumns; }

void gemm_packed(MatrixView<const float> a, Transpose transpose_a, const PackedMatrix& b,
                 MatrixView<float> c, float alpha, float beta) {
  const Operand left(a, transpose_a);
  assert(left.cols == b.k_ && left.rows == c.rows && b.n_ == c.cols);
  if (b.precision_ == Precision::bf16) {
    const std::size_t panel = b.panel_size();
    for_each_depth(b.k_, beta, [&](std::size_t p, std::size_t depth, float block_beta) {
      multiply_bf16(left, {b.bf16_.data() + p * kPanelColumns, panel, p, depth},
                    {c, alpha, block_beta});
    });
    return;
  }
  GemmArgs args = f32_args(left, {c, alpha, beta});
  args.b = b.f32_.data();
  args.b_panel = b.k_ * kPanelColumns;
  kernels().gemm_f32(args);
}

void gemm_packed_transposed(MatrixView<const float> a, const PackedMatrix& b, MatrixView<float> c,
                            float alpha, float beta) {
  assert(b.precision() == Precision::bf16);
  const Operand left(a, Transpose::no);
  assert(left.cols == b.n() && left.rows == c.rows && c.cols <= b.k());
  if (c.rows == 0 || c.cols == 0) return;
  const Kernels& kernel = kernels();
  multiply_bf16_packing(left, {c, alpha, beta}, [&](const Bf16Part& part, BFloat16* panels) {
    // A panel of B^T is a row of blocks of B, one of each of B's panels.
    const BFloat16* from = b.halves().data() + part.p / kPanelColumns * b.panel_size();
    for (std::size_t j = 0; j < part.n; j += kTileBlock, panels += part.panel()) {
      kernel.transpose_blocks(from + (part.j + j) * kPanelColumns, b.panel_size(),
                              part.panel() / (kTileBlock * kPanelColumns), panels);
    }
  });
}

}  // namespace frugal
