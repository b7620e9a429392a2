#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libcore/kernels/alias_list.h"
#include "libcore/kernels/kernel_arguments.h"
#include "libcore/system/cpu.h"

namespace frugal {

/// All hot loops, compiled once per instruction set from the bodies in kernels/bodies/. Arguments
/// are plain pointers and sizes: a kernel never allocates, throws or starts a thread. Arrays may be
/// unaligned and must not overlap unless stated; nothing beyond n elements is read or written.
/// Results differ between ISAs only by rounding.
/// Parameters [n], with their state and gradient [n].
struct ParameterBlock {
  float* parameters = nullptr;
  float* first = nullptr;   ///< first state array
  float* second = nullptr;  ///< second state array
  const float* gradient = nullptr;
  std::size_t n = 0;
};

/// Numbers of a step. rate and epsilon include the bias corrections of adam_scale().
struct StepNumbers {
  float rate = 0, epsilon = 0, beta1 = 0, beta2 = 0;
};

/// Steps of an optimiser. step_row: of a table's row with a single number of state; null: step().
struct OptimizerKernels {
  const char* name;
  void (*step)(const ParameterBlock& block, const StepNumbers& numbers);
  void (*step_row)(const ParameterBlock& block, const StepNumbers& numbers);
};

struct Kernels {
  SimdLevel level;
  const char* name;

  // Vectors of n floats. Sums of blocks are added in double: n may be millions.
  float (*dot)(const float* x, const float* y, std::size_t n);
  float (*squared_norm)(const float* x, std::size_t n);            ///< sum x[i]^2
  void (*axpy)(float a, const float* x, float* y, std::size_t n);  ///< y += a x
  void (*scale)(float a, float* x, std::size_t n);                 ///< x *= a
  float (*max)(const float* x, std::size_t n);                     ///< -inf for n = 0
  /// x[i] = exp(x[i] - shift); returns the sum. The relative error is below 2e-7 for normal
  /// results.
  float (*exp_sum)(float* x, float shift, std::size_t n);
  /// x = exp(x - max(x)) / sum, in place; returns log(sum(exp(x))) of the old x, -inf for n = 0.
  float (*softmax)(float* x, std::size_t n);
  void (*sigmoid)(float* x, std::size_t n);  ///< x = 1 / (1 + exp(-x))
  /// Logistic losses and their gradients. Returns the sum of weights[i] * log(1 + exp(x[i])) and
  /// sets x[i] = weights[i] / (1 + exp(-x[i])). weights may be null (all 1).
  float (*logistic)(float* x, const float* weights, std::size_t n);
  /// x = ln(1 + x) for finite x >= 0, with an error below 1e-6 and four units in the last place;
  /// -inf stays.
  void (*log1p)(float* x, std::size_t n);
  void (*tanh)(float* x, std::size_t n);  ///< relative error below 5e-7; NaN stays NaN
  void (*tanh_backward)(const float* y, float* dy, std::size_t n);  ///< dy *= 1 - y^2
  void (*relu)(float* x, std::size_t n);                            ///< NaN stays NaN
  void (*relu_backward)(const float* y, float* dy,
                        std::size_t n);  ///< dy[i] = y[i] > 0 ? dy[i] : 0
  /// Gaussian error linear unit by its approximation x sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3))
  /// (Hendrycks, Gimpel, arXiv 1606.08415). x and y may be the same.
  void (*gelu)(const float* x, float* y, std::size_t n);
  void (*gelu_backward)(const float* x, float* dy, std::size_t n);  ///< dy *= the slope at x
  bool (*all_finite)(const float* x, std::size_t n);
  /// Writes the indices i with x[i] >= threshold, ascending; returns their number. `indices` has
  /// room for n; n < 2^32.
  std::size_t (*select_at_least)(const float* x, std::size_t n, float threshold,
                                 std::uint32_t* indices);

  /// y[i] += f(x[i]) for x[i] that are no NaN.
  void (*add_piecewise)(const PiecewiseLinear& f, const float* x, std::size_t n, float* y);

  // Embedding bags. table: rows of `dim` floats, `stride` apart; weights may be null (all 1).
  /// out[dim] += sum_j weights[j] * table[rows[j]].
  void (*gather_sum)(const float* table, std::size_t stride, std::size_t dim,
                     const std::uint32_t* rows, const float* weights, std::size_t n, float* out);
  /// table[rows[j]] += a * weights[j] * x, the transpose of gather_sum(). Rows may repeat.
  void (*scatter_add)(float* table, std::size_t stride, std::size_t dim, const std::uint32_t* rows,
                      const float* weights, std::size_t n, float a, const float* x);
  /// Row-wise Adagrad. For each j in order: h = history of rows[j] += weights[j]^2 * grad_sq_mean,
  /// then table[rows[j]] -= lr / (sqrt(h) + eps) * weights[j] * g. grad_sq_mean is squared_norm(g)
  /// / dim.
  void (*scatter_adagrad)(const RowUpdate& update, const std::uint32_t* rows, const float* weights,
                          std::size_t n, const float* g, float grad_sq_mean);
  /// out[j] = table[rows[j]], with rows of out `out_stride` apart.
  void (*gather_rows)(const float* table, std::size_t stride, std::size_t dim,
                      const std::uint32_t* rows, std::size_t n, float* out, std::size_t out_stride);
  /// Dequantises rows of int8 with f32 scales, or of int4 with bf16 scales (two numbers per byte,
  /// each stored as level + 8, the first in the lower half). Bitwise equal on every ISA.
  void (*gather_bytes)(const LevelRows& rows);
  void (*gather_nibbles)(const LevelRows& rows);

  /// table[rows[j] * stride + i] += a * x[sources[j] + i] for each j in order.
  void (*scatter_rows)(const RowScatter& scatter, float a);
  /// Adagrad with an accumulator per number. For each j in order and i < dim, with g = x[sources[j]
  /// + i] and the elements h and w at rows[j] * stride + i of history and table: h += g^2; w -= lr
  /// g / (sqrt(h) + eps).
  void (*scatter_rows_adagrad)(const RowScatter& scatter, float* history, float lr, float eps);

  /// Draws min(k, size) distinct entries of each list; every subset is equally likely. A list of at
  /// most k entries is taken whole, in order. Returns the total number.
  std::size_t (*draw_distinct)(const ListDraws& args);
  /// Draws k entries of each non-empty list with replacement. Returns the total number.
  std::size_t (*draw_repeated)(const ListDraws& args);
  /// Writes the places and coins of draws from a weighted list, of size > 0, and prefetches what
  /// take_new_entries() reads. Returns the index of the next number. Equal on every ISA.
  std::uint64_t (*begin_alias_draws)(const AliasList& list, const AliasTries& tries);
  /// Appends the entries of draws that are begun to chosen[0, found), without those that are there
  /// already, until there are `most`. Returns their number. `chosen` has room for most +
  /// kChosenRoom entries, of which those after the result are overwritten. Equal on every ISA.
  std::size_t (*take_new_entries)(const AliasList& list, const AliasTries& tries,
                                  std::uint32_t* chosen, std::size_t found, std::size_t most);
  /// Writes hash << 32 | i for each i in [0, num_ids) whose hash of ids[i] and key is at most
  /// `bound`, in order; returns their number. `selected` has room for num_ids. Equal on every ISA.
  std::size_t (*select_hashed)(const HashedSelection& from, std::uint64_t* selected);
  /// Moves the k lowest of values[0, n), which all differ, to its front in ascending order, and
  /// overwrites the others. Takes n^2 steps. Requires k < n <= kMaxSortedLowest.
  void (*sort_lowest)(std::uint64_t* values, std::size_t n, std::size_t k);

  /// out[i] = Hamming distance between the code of row i and query [words]. Equal on every ISA.
  void (*bit_distances)(const BitCodes& codes, const std::uint64_t* query, std::uint16_t* out);
  /// Writes the indices i with x[i] <= bound, ascending; returns their number. `indices` has room
  /// for n, all of which may be overwritten.
  std::size_t (*select_at_most)(const std::uint16_t* x, std::size_t n, std::uint16_t bound,
                                std::uint32_t* indices);

  void (*segment_sum)(const SegmentSum& args);
  /// Maximum of each column over the rows of a segment; 0 if there are none. edges, with rows
  /// out_stride apart: index into args.rows of the first maximum, or kEmptySegment. Ignores
  /// weights, mean and add.
  void (*segment_max)(const SegmentSum& args, std::uint32_t* edges);

  /// Hashes rows to places. Equal on every ISA.
  void (*spread_rows)(const SpreadArgs& args);

  void (*score_nibbles)(const NibbleScores& scores);

  /// dots[number of pair (i, j)] = vector i . vector j.
  void (*pair_dots)(const PairDots& pairs, float* dots);
  /// Computes the gradients of the vectors from the gradients of their dot products. Writes dfirst
  /// [dim] (unless first is null) and drest, which has the layout of the vectors.
  void (*pair_dots_backward)(const PairDots& pairs, const float* gradient, float* dfirst,
                             float* drest);

  void (*time_encode)(const TimeEncoding& args, float* out, std::size_t out_stride);
  /// Gradients of the parameters from the gradient g of the encodings: dw[j] += sum_i -sin(w dt +
  /// b) dt[i] g[i][j]; db[j] likewise without dt.
  void (*time_encode_backward)(const TimeEncoding& args, const float* g, std::size_t g_stride,
                               float* dw, float* db);

  /// Writes the new state to out, r and z to rz, and n to nx; nh is unchanged.
  void (*gru_forward)(const GruGates& gates, float* out, std::size_t out_stride);
  /// Backward pass of gru_forward(), whose rz and nx must be passed on, with h and nh unchanged.
  /// From the gradient of the new state it computes those of the values that rz, nx and nh held
  /// before the forward pass, in their places. dh += z dout, the direct part only; dh may be null.
  void (*gru_backward)(const GruGates& gates, const float* dout, std::size_t dout_stride, float* dh,
                       std::size_t dh_stride);

  // Layer normalisation: y = gamma (x - mean) / sqrt(variance + 1e-5) + beta, with the moments of a
  // row, or of each column. The backward passes replace the gradient of y by that of x, and add to
  // those of gamma and beta.
  void (*normalize_row)(const RowNorm& norm, float* y);
  void (*normalize_row_backward)(const RowNorm& norm, float* dy, float* dgamma, float* dbeta);
  void (*normalize_columns)(const ColumnNorm& norm, float* y);
  void (*normalize_columns_backward)(const ColumnNorm& norm, float* dy, float* dgamma,
                                     float* dbeta);

  /// Writes weights, out and sums.
  void (*attention_forward)(const Attention& args);
  /// Backward pass, with the weights of attention_forward() (out and sums are not read). dout is
  /// shaped as out, dsums as sums or null. Writes the gradient of the query to dquery, and adds
  /// those of the parts to theirs, entry by entry in order.
  void (*attention_backward)(const Attention& args, const float* dout, std::size_t dout_stride,
                             const float* dsums, float* dquery, std::size_t dquery_stride);

  /// Steps of each optimiser, in the order of nn/optimizer_rules.cpp. Its bodies are in
  /// bodies/optimise.inl.
  const OptimizerKernels* optimizers;
  /// Adam on weights stored in two halves, with bf16 moments.
  void (*adam_split)(const SplitAdam& args);

  /// One step of dual coordinate descent (Hsieh et al., ICML 2008, algorithm 3) for each example in
  /// order and each classifier. Moves the examples that are not skipped for every classifier to the
  /// front of the order and returns their number.
  std::size_t (*dual_sweep)(const DualSweep& sweep);

  // Conversions, round to nearest even.
  void (*to_bf16)(const float* x, BFloat16* y, std::size_t n);
  void (*from_bf16)(const BFloat16* x, float* y, std::size_t n);
  /// Stochastic rounding, whose mean is x (Gupta et al., "Deep Learning with Limited Numerical
  /// Precision", ICML 2015, section 3.1). y[i] is a function of x[i], key and i, the same on every
  /// ISA. A value that bf16 can represent is unchanged.
  void (*to_bf16_at_random)(const float* x, BFloat16* y, std::size_t n, std::uint32_t key);

  /// Dropout: x[i] *= scale if a random number below 2^32 is at least threshold, else x[i] = 0. The
  /// random number is a function of key and i, the same on every ISA.
  void (*dropout)(float* x, std::size_t n, std::uint32_t key, std::uint32_t threshold, float scale);

  /// to[i * to_stride + j] = from[j * from_stride + i] for i < rows and j < cols.
  void (*transpose)(const float* from, std::size_t from_stride, std::size_t rows, std::size_t cols,
                    float* to, std::size_t to_stride);

  // Products on one thread. Use gemm() in gemm.h, which packs, blocks and chooses the precision.
  void (*gemm_f32)(const GemmArgs& args);
  /// Writes panel j of op(B) to panels[j * k * kPanelColumns], with zeros after column n.
  void (*pack_b)(const PackArgs& args, float* panels);
  /// Sums products of bf16 numbers in f32: by instructions for them (v4bf16, amx), else in f32
  /// arithmetic.
  void (*gemm_bf16)(const GemmBf16Args& args);
  /// Rounds A; output rows are out_row (a multiple of 32) apart. Columns are padded with zeros to a
  /// multiple of 32 and, on AMX, rows to whole tiles.
  void (*pack_a_bf16)(const RoundArgs& args);
  /// Rounds and packs op(B) into panels of round_up(k, 32) * kPanelColumns numbers. A panel is a
  /// sequence of 32 x 32 blocks; a block is two tiles of 16 rows and 16 columns, whose elements are
  /// pairs of rows (2p, 2p + 1) of B. Zeros follow row k and column n. gemm.h has a picture.
  void (*pack_b_bf16)(const PackArgs& args, BFloat16* panels);
  /// Converts `count` packed 32 x 32 blocks of B, the i-th at from[i * step], to blocks of B^T, one
  /// after another.
  void (*transpose_blocks)(const BFloat16* from, std::size_t step, std::size_t count, BFloat16* to);
};

/// The kernels in use: the best that this CPU can run, or those chosen by --simd or FRUGAL_SIMD
/// (set_simd()). The first call reads FRUGAL_SIMD and fails as set_simd() does.
const Kernels& kernels();
/// Null if this build or CPU does not support the level.
const Kernels* kernels_for(SimdLevel level);
/// Levels that this build contains and this machine can run, lowest first.
std::vector<SimdLevel> available_simd_levels();
/// Chooses the kernels: "auto" (FRUGAL_SIMD if set, else the best) or a level's name; sse4.2, avx2
/// and avx512 are names of v2, v3 and v4. Fails (usage, 2) on an unknown name, and (unavailable,
/// 69) with the reason on a level that this CPU cannot run. Do not call it while other threads use
/// kernels().
void set_simd(const char* name);

}  // namespace frugal
