#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/kernels/kernel_arguments.h"
#include "libcore/system/cpu.h"

namespace frugal {

/// Every hot loop, once per instruction set (bodies in kernels/bodies/, compiled per ISA). Plain
/// pointers and sizes: a kernel never allocates, throws or starts a thread. Arrays may be unaligned
/// and must not overlap unless said; nothing beyond n elements is read or written. Results differ
/// between ISAs by rounding only.
struct Kernels {
  SimdLevel level;
  const char* name;

  // Vectors of n floats. Sums are carried in double from block to block: n may be millions.
  float (*dot)(const float* x, const float* y, std::size_t n);
  float (*squared_norm)(const float* x, std::size_t n);            ///< sum x[i]^2
  void (*axpy)(float a, const float* x, float* y, std::size_t n);  ///< y += a x
  void (*scale)(float a, float* x, std::size_t n);                 ///< x *= a
  float (*max)(const float* x, std::size_t n);                     ///< -inf for n = 0
  /// x[i] = exp(x[i] - shift); returns the sum. Relative error below 2e-7 where the result is
  /// normal.
  float (*exp_sum)(float* x, float shift, std::size_t n);
  /// x = exp(x - max(x)) / sum, in place; returns log(sum(exp(x))) of the old x, -inf for n = 0.
  float (*softmax)(float* x, std::size_t n);
  void (*sigmoid)(float* x, std::size_t n);  ///< x = 1 / (1 + exp(-x))
  /// Logistic losses and their gradients: returns the sum of weights[i] * log(1 + exp(x[i])),
  /// leaves x[i] = weights[i] / (1 + exp(-x[i])); weights may be null (all 1).
  float (*logistic)(float* x, const float* weights, std::size_t n);
  void (*tanh)(float* x, std::size_t n);  ///< relative error below 5e-7; NaN stays NaN
  void (*tanh_backward)(const float* y, float* dy, std::size_t n);  ///< dy *= 1 - y^2
  void (*relu)(float* x, std::size_t n);                            ///< NaN stays NaN
  void (*relu_backward)(const float* y, float* dy,
                        std::size_t n);  ///< dy[i] = y[i] > 0 ? dy[i] : 0
  bool (*all_finite)(const float* x, std::size_t n);
  /// Writes the i with x[i] >= threshold to indices (room for n), ascending; returns how many. n <
  /// 2^32.
  std::size_t (*select_at_least)(const float* x, std::size_t n, float threshold,
                                 std::uint32_t* indices);

  // Embedding bags. table: rows of `dim` floats, `stride` apart; weights may be null (all 1).
  /// out[dim] += sum_j weights[j] * table[rows[j]].
  void (*gather_sum)(const float* table, std::size_t stride, std::size_t dim,
                     const std::uint32_t* rows, const float* weights, std::size_t n, float* out);
  /// table[rows[j]] += a * weights[j] * x, the transpose; rows may repeat.
  void (*scatter_add)(float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                      const float* weights, std::size_t n, float a, const float* x);
  /// For each j in order: h = history of rows[j] += weights[j]^2 * grad_sq_mean, then
  /// table[rows[j]] -= lr / (sqrt(h) + eps) * weights[j] * g. grad_sq_mean: squared_norm(g) / dim.
  void (*scatter_adagrad)(const RowUpdate& update, const std::uint32_t* rows, const float* weights,
                          std::size_t n, const float* g, float grad_sq_mean);
  /// out[j] = table[rows[j]], out rows `out_stride` apart.
  void (*gather_rows)(const float* table, std::size_t stride, std::size_t dim,
                      const std::uint32_t* rows, std::size_t n, float* out, std::size_t out_stride);
  /// Rows of int8 with f32 scales, and of int4 (two levels + 8 a byte, the first in the lower half)
  /// with bf16 scales. The same bits on every ISA.
  void (*gather_bytes)(const LevelRows& rows);
  void (*gather_nibbles)(const LevelRows& rows);

  /// table[rows[j] * stride + i] += a * x[sources[j] + i] for each j in order.
  void (*scatter_rows)(const RowScatter& scatter, float a);
  /// For each j in order and i < dim, with g = x[sources[j] + i], h = history[rows[j] * stride + i]
  /// and w the same of the table: h += g^2; w -= lr g / (sqrt(h) + eps).
  void (*scatter_rows_adagrad)(const RowScatter& scatter, float* history, float lr, float eps);

  /// min(k, size) different entries of each list, every set of them equally likely; all in their
  /// order where there are no more. Returns their sum.
  std::size_t (*draw_distinct)(const ListDraws& args);
  /// k entries of each list that is not empty, each equally likely at every draw.
  std::size_t (*draw_repeated)(const ListDraws& args);
  /// Writes hash << 32 | i for the i in [0, n) whose hash of ids[i] and key is at most `bound`, in
  /// order, to selected (room for n); returns how many. The same on every ISA.
  std::size_t (*select_hashed)(const std::uint32_t* ids, std::size_t n, std::uint64_t key,
                               std::uint32_t bound, std::uint64_t* selected);

  /// out[i] = number of bits in which the code of row i differs from query [words]. The same on
  /// every ISA.
  void (*bit_distances)(const BitCodes& codes, const std::uint64_t* query, std::uint16_t* out);
  /// Writes the i with x[i] <= bound to indices, ascending; returns how many. Room for n, of which
  /// anything may be written.
  std::size_t (*select_at_most)(const std::uint16_t* x, std::size_t n, std::uint16_t bound,
                                std::uint32_t* indices);

  void (*segment_sum)(const SegmentSum& args);
  /// The largest number of each column instead, 0 where there are no rows; edges, rows of
  /// out_stride: the first place in args.rows that it is from, or kEmptySegment. Weights, mean and
  /// add are not for it.
  void (*segment_max)(const SegmentSum& args, std::uint32_t* edges);

  /// The same integers on every ISA.
  void (*spread_rows)(const SpreadArgs& args);

  void (*score_nibbles)(const NibbleScores& scores);

  /// dots[number of pair (i, j)] = vector i . vector j.
  void (*pair_dots)(const PairDots& pairs, float* dots);
  /// The gradient of the vectors from that of their dots: dfirst [dim] (unless first is null) and
  /// drest, laid out as the vectors are, are written.
  void (*pair_dots_backward)(const PairDots& pairs, const float* gradient, float* dfirst,
                             float* drest);

  void (*time_encode)(const TimeEncoding& args, float* out, std::size_t out_stride);
  /// From the gradient g of the encodings: dw[j] += sum_i -sin(w dt + b) dt[i] g[i][j]; db[j] the
  /// same without dt.
  void (*time_encode_backward)(const TimeEncoding& args, const float* g, std::size_t g_stride,
                               float* dw, float* db);

  /// Leaves r, z in rz and n in nx; nh stays as it is.
  void (*gru_forward)(const GruGates& gates, float* out, std::size_t out_stride);
  /// After gru_forward(), h and nh unchanged: from the new state's gradient those by what rz, nx
  /// and nh held before it, which take their places. dh += z dout, the direct part alone, or null.
  void (*gru_backward)(const GruGates& gates, const float* dout, std::size_t dout_stride, float* dh,
                       std::size_t dh_stride);

  /// Writes weights, out and sums.
  void (*attention_forward)(const Attention& args);
  /// With the weights of attention_forward() (out and sums are not read): from the gradients dout,
  /// as out, and dsums, as sums or null, that of the query is written to dquery and those of the
  /// parts are added to theirs, entry by entry in order.
  void (*attention_backward)(const Attention& args, const float* dout, std::size_t dout_stride,
                             const float* dsums, float* dquery, std::size_t dquery_stride);

  // Optimiser steps on n parameters w with gradient g.
  /// h += g^2; w -= lr g / (sqrt(h) + eps).
  void (*adagrad)(float* w, float* h, const float* g, std::size_t n, float lr, float eps);
  /// Row-wise: *h += mean(g^2), one accumulator for all n; w -= lr / (sqrt(*h) + eps) * g.
  void (*adagrad_row)(float* w, float* h, const float* g, std::size_t n, float lr, float eps);
  /// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; w -= lr m / (sqrt(v) + eps). lr
  /// and eps already hold the bias corrections: lr = rate sqrt(1 - beta2^t) / (1 - beta1^t), eps =
  /// epsilon sqrt(1 - beta2^t).
  void (*adam)(float* w, float* m, float* v, const float* g, std::size_t n, float lr, float beta1,
               float beta2, float eps);

  /// The same on weights in two halves, with moments as bf16.
  void (*adam_split)(const SplitAdam& args);

  /// One step of dual coordinate descent (Hsieh et al., ICML 2008, algorithm 3) for each example in
  /// order and each classifier. Puts the examples at which some classifier does not rest to the
  /// front of the order and returns their number.
  std::size_t (*dual_sweep)(const DualSweep& sweep);

  // Conversions, round to nearest even.
  void (*to_bf16)(const float* x, BFloat16* y, std::size_t n);
  void (*from_bf16)(const BFloat16* x, float* y, std::size_t n);
  /// Rounds up or down at random, so that the mean is x (Gupta et al., "Deep Learning with Limited
  /// Numerical Precision", ICML 2015, section 3.1): y[i] is a function of x[i], key and i, the same
  /// on every ISA. A value that is a bf16 stays as it is.
  void (*to_bf16_at_random)(const float* x, BFloat16* y, std::size_t n, std::uint32_t key);

  /// x[i] *= scale where a random number below 2^32, a function of key and i and the same on every
  /// ISA, is at least threshold; else 0.
  void (*dropout)(float* x, std::size_t n, std::uint32_t key, std::uint32_t threshold, float scale);

  /// to[i * to_stride + j] = from[j * from_stride + i] for i < rows and j < cols.
  void (*transpose)(const float* from, std::size_t from_stride, std::size_t rows, std::size_t cols,
                    float* to, std::size_t to_stride);

  // Products on one thread. Use gemm() in gemm.h, which packs, blocks and picks the precision.
  void (*gemm_f32)(const GemmArgs& args);
  /// Panel j of op(B) to panels[j * k * kPanelColumns], zeros behind column n.
  void (*pack_b)(const PackArgs& args, float* panels);
  /// Null, as the three below, where the level has no bf16 products.
  void (*gemm_bf16)(const GemmBf16Args& args);
  /// Rounds A, rows out_row (a multiple of 32) apart. Zeros behind its columns up to a multiple of
  /// 32 and, on AMX, behind its rows.
  void (*pack_a_bf16)(const RoundArgs& args);
  /// Panels of round_up(k, 32) * kPanelColumns values, each a row of 32 x 32 blocks; a block is two
  /// tiles of 16 rows of 16 columns, each element a pair (2p, 2p + 1) of rows of B. Zeros behind k
  /// and n.
  void (*pack_b_bf16)(const PackArgs& args, BFloat16* panels);
  /// The blocks of B at from[i * step], i < count, each 32 x 32, to those of B^T, one behind the
  /// other.
  void (*transpose_blocks)(const BFloat16* from, std::size_t step, std::size_t count, BFloat16* to);
};

/// The table in use: the best that this CPU runs, or what --simd / FRUGAL_SIMD names (set_simd()).
/// The first call reads FRUGAL_SIMD and fails as set_simd() does.
const Kernels& kernels();
/// Null where this build or CPU lacks the level.
const Kernels* kernels_for(SimdLevel level);
/// Levels that this build has and this machine runs, lowest first: what tests iterate over.
std::vector<SimdLevel> available_simd_levels();
/// "auto" (FRUGAL_SIMD if set, else the best) or a level's name; fails (usage, 2 for an unknown
/// name; unavailable, 69 for one that this CPU cannot run, with the reason). Not while other
/// threads use kernels().
void set_simd(const char* name);

}  // namespace frugal
