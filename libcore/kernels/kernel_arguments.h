#pragma once
#include <cstddef>
#include <cstdint>

#include "libcore/base/float16.h"

namespace frugal {

/// Columns of B that lie side by side in the packed forms below, on every ISA.
inline constexpr std::size_t kPanelColumns = 32;

/// C = alpha A B + beta C. A: [m, k], element (i, p) at a[i * a_row + p * a_col]; C: [m, n],
/// row-major. B: [k, n] in panels of kPanelColumns columns: element (p, j) at b[(j / kPanelColumns)
/// * b_panel + p * b_row + j % kPanelColumns]; whole panels are read.
struct GemmArgs {
  std::size_t m = 0, n = 0, k = 0;
  const float* a = nullptr;
  std::size_t a_row = 0, a_col = 1;
  const float* b = nullptr;
  std::size_t b_panel = 0, b_row = kPanelColumns;
  float* c = nullptr;
  std::size_t ldc = 0;
  float alpha = 1, beta = 0;
};

/// The same with A and B rounded to bf16 and sums in f32; subnormal numbers count as zero. A as
/// pack_a_bf16() lays it out, rows a_row apart; B as pack_b_bf16() does, panels b_panel apart.
struct GemmBf16Args {
  std::size_t m = 0, n = 0, k = 0;
  const BFloat16* a = nullptr;
  std::size_t a_row = 0;
  const BFloat16* b = nullptr;
  std::size_t b_panel = 0;
  float* c = nullptr;
  std::size_t ldc = 0;
  float alpha = 1, beta = 0;
};

/// The operand op(B): [k, n] of the pack functions; element (p, j) at b[p * row + j * col], one of
/// the two strides 1.
struct PackArgs {
  const float* b = nullptr;
  std::size_t row = 0, col = 1;
  std::size_t k = 0, n = 0;
};

/// The operand A of a bf16 product: element (i, p) at a[i * row + p * col], one of the strides 1,
/// goes to out[i * out_row + p].
struct RoundArgs {
  const float* a = nullptr;
  std::size_t row = 0, col = 1;
  std::size_t rows = 0, depth = 0;
  BFloat16* out = nullptr;
  std::size_t out_row = 0;
};

/// Rows of a table to be updated by row-wise Adagrad: row r is table[r * stride], its one
/// accumulator history[r * history_stride] (an array of its own: 1; in the padding of the row:
/// stride).
struct RowUpdate {
  float* table = nullptr;
  std::size_t stride = 0, dim = 0;
  float* history = nullptr;
  std::size_t history_stride = 1;
  float lr = 0, eps = 0;
};

/// Blocks of `dim` numbers and where they go: x[sources[j]] belongs to table[rows[j] * stride].
/// Blocks may overlap in the table.
struct RowScatter {
  float* table = nullptr;
  std::size_t stride = 0, dim = 0;
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* sources = nullptr;
  std::size_t n = 0;
  const float* x = nullptr;
};

/// Rows of numbers that are kept as levels, each times the scale of its group of 2^group_bits: row
/// j begins at slot first + places[j] * unit and is written to out[j * length].
struct LevelRows {
  const void* levels = nullptr;
  const void* scales = nullptr;
  unsigned group_bits = 0;  ///< a group is no smaller than a vector
  std::uint64_t first = 0;
  const std::uint32_t* places = nullptr;
  std::size_t n = 0, unit = 0, length = 0;
  float* out = nullptr;
};

/// Types of the numbers in a table's rows; i8 rows have a scale each.
enum class RowType : std::uint8_t { f32, f16, bf16, i8 };

/// What segment_max() writes where a segment is empty.
inline constexpr std::uint32_t kEmptySegment = 0xffffffff;

/// Sums of rows of a table: segment t adds up rows[offsets[t] - offsets[0] .. offsets[t + 1] -
/// offsets[0]) of the table, each times its weight.
struct SegmentSum {
  RowType type = RowType::f32;
  const void* table = nullptr;
  std::size_t stride = 0, dim = 0;  ///< in numbers
  const float* scales = nullptr;    ///< i8: of each row of the table
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* offsets = nullptr;  ///< [num_segments + 1]
  std::size_t num_segments = 0;
  const float* weights = nullptr;  ///< that of rows[e] at weights[e * weight_stride]; null: all 1
  std::size_t weight_stride = 1;
  bool mean = false;  ///< divide by the number of rows; no rows: 0
  bool add = false;   ///< to what is in `out`
  float* out = nullptr;
  std::size_t out_stride = 0;
};

/// Rows that are spread over places by multiplication: places[i] = floor(((first[i] + rows[i]) step
/// + offset mod 2^64) range / 2^64) scale. first: null where it is 0 for all.
struct SpreadArgs {
  const std::uint64_t* first = nullptr;
  const std::uint32_t* rows = nullptr;
  std::size_t n = 0;
  std::uint64_t step = 0, offset = 0;
  std::uint32_t range = 1, scale = 1;
  std::uint32_t* places = nullptr;
};

/// Classifiers that dual_sweep() works on at a time: one cache line of weights a feature.
inline constexpr std::size_t kDualLanes = 16;

/// kDualLanes linear classifiers with squared hinge loss over the same examples, lane l of each row
/// belonging to classifier l: minimise |w|^2 / 2 + sum C max(0, 1 - y w.x)^2 by its dual, whose
/// variables alpha >= 0 have the gradient y w.x - 1 + alpha / (2 C), with w = sum alpha y x.
struct DualSweep {
  // The examples, CSR: features (rows of the weights) and values of example e at [begin[e],
  // begin[e + 1]).
  const std::uint64_t* begin = nullptr;
  const std::uint32_t* rows = nullptr;
  const float* values = nullptr;
  const std::uint16_t* positives = nullptr;  ///< bit l of example e: y is 1 for classifier l
  const float* inverse_curvature = nullptr;  ///< 1 / (|x|^2 + diagonal) of each
  const float* diagonals = nullptr;          ///< 1 / (2 C) of each example
  float* weights = nullptr;                  ///< [features, kDualLanes]
  float* alphas = nullptr;                   ///< [examples, kDualLanes]
  std::uint32_t* order = nullptr;            ///< the examples of this sweep, n
  std::size_t n = 0;
  std::uint32_t lanes = 0;        ///< bit l: classifier l takes part
  const float* limits = nullptr;  ///< [kDualLanes] a variable at 0 with a larger gradient rests
  // [kDualLanes] raised to the largest, lowered to the smallest projected gradient seen.
  float* largest = nullptr;
  float* smallest = nullptr;
};

/// Rows in a panel of nibbles.
inline constexpr std::size_t kNibbleRows = 16;

/// Scores of rows that are kept as nibbles, and upper bounds of panels of them. With the margin
///   z[r] = scale[r] x_scale (offset + sum_p x[p] row_r[p]) + bias[r]
/// scores[r] = z[r] + shift error[r] - half_variance error[r]^2, and highest[r / kNibbleRows] is
/// the maximum of z[r] + slack error[r] over the panel. Column p of row r stands in the byte
/// panels[(r / kNibbleRows * depth + p / 8 * 8) * kNibbleRows / 2 + r % kNibbleRows * 4 + p % 4],
/// in its lower half where p % 8 < 4. The integers are the same on every ISA.
struct NibbleScores {
  const std::uint8_t* panels = nullptr;
  std::size_t num_rows = 0;        ///< a multiple of kNibbleRows
  std::size_t depth = 0;           ///< a multiple of 8
  const std::int8_t* x = nullptr;  ///< [depth], none below -127
  std::int32_t offset = 0;
  float x_scale = 1, slack = 0, shift = 0, half_variance = 0;
  // [num_rows]:
  const float* scale = nullptr;
  const float* bias = nullptr;
  const float* error = nullptr;
  float* scores = nullptr;
  float* highest = nullptr;  ///< [num_rows / kNibbleRows]
};

/// `count` vectors of `dim` floats for the products of all pairs: `first`, or none where it is
/// null, and the others one behind the other. Pair (i, j) with j < i (diagonal: j <= i) is number
/// i (i - 1) / 2 + j (diagonal: i (i + 1) / 2 + j).
struct PairDots {
  const float* first = nullptr;
  const float* rest = nullptr;
  std::size_t count = 0;  ///< with the first
  std::size_t dim = 0;
  bool diagonal = false;
  float* scratch = nullptr;  ///< pair_scratch_size(count, dim) floats
};

inline constexpr std::size_t kPairPadding = 16;
constexpr std::size_t num_pairs(std::size_t count, bool diagonal) {
  return count == 0 ? 0 : count * (diagonal ? count + 1 : count - 1) / 2;
}
constexpr std::size_t pair_scratch_size(std::size_t count, std::size_t dim) {
  const std::size_t padded = (count + kPairPadding - 1) / kPairPadding * kPairPadding;
  return padded * dim + padded * (dim < padded ? padded : dim);
}

/// Random entries of lists: list i is the entries [begin[i], begin[i] + size[i]) of an array. The
/// draws of list i are a function of key and first + i, the same on every ISA.
struct ListDraws {
  const std::uint64_t* begin = nullptr;
  const std::uint32_t* size = nullptr;
  std::size_t count = 0;
  std::uint32_t k = 0;  ///< entries wanted of each list
  std::uint64_t key = 0, first = 0;
  const std::uint32_t* entries = nullptr;  ///< the array, to ask for the lines drawn; may be null
  std::uint32_t* taken = nullptr;          ///< [count] how many of each list
  std::uint64_t* picks = nullptr;          ///< those of one list behind those of the other
};

/// Time encodings cos(w[j] dt[i] + b[j]) (Xu et al., ICLR 2020, equation 5, as Rossi et al., 2020,
/// use it). Phases are right to 1e-6 up to 10^9: dt may be seconds up to Unix times.
struct TimeEncoding {
  const double* dt = nullptr;  ///< [rows]
  std::size_t rows = 0;
  const float* w = nullptr;  ///< [dim], as b
  const float* b = nullptr;
  std::size_t dim = 0;
};

/// The gates of gated recurrent units (Cho et al., 2014, as PyTorch's GRUCell), matrices of `rows`:
/// r = sigmoid(rz[:, 0:dim]), z = sigmoid(rz[:, dim:2 dim]), n = tanh(nx + r nh), the new state
/// (1 - z) n + z h.
struct GruGates {
  std::size_t rows = 0, dim = 0;
  float* rz = nullptr;
  std::size_t rz_stride = 0;
  float* nx = nullptr;
  std::size_t nx_stride = 0;
  float* nh = nullptr;
  std::size_t nh_stride = 0;
  const float* h = nullptr;
  std::size_t h_stride = 0;
};

/// A part of the rows that are attended to: of entry e the row rows[e] of a table.
struct AttentionPart {
  const float* table = nullptr;
  std::size_t stride = 0, dim = 0;      ///< dim may be 0
  const std::uint32_t* rows = nullptr;  ///< null: row e
  float* gradient = nullptr;            ///< null: none is wanted
  std::size_t gradient_stride = 0;
  /// The row of `gradient` that entry e adds to, kNoGradient: none; null: row e. Rows may repeat.
  const std::uint32_t* gradient_rows = nullptr;
};

inline constexpr std::uint32_t kNoGradient = 0xffffffff;

/// Attention (Vaswani et al., 2017, section 3.2) over lists of rows x_e = [part 0 | part 1 | part
/// 2], which serve as keys and values: a projection of the keys is in the query, that of the values
/// comes behind `out`. List q is the entries [offsets[q], offsets[q + 1]); arrays of entries begin
/// with entry 0, whatever offsets[0] is, so that some of the lists can be worked on by moving
/// `offsets` and what has a row for each query.
struct Attention {
  AttentionPart parts[3];
  std::size_t num_parts = 0;
  const std::uint32_t* offsets = nullptr;  ///< [num_queries + 1]
  std::size_t num_queries = 0, heads = 0;
  /// [num_queries, heads * width], width the sum of the parts' dims; of each head what entries are
  /// multiplied with.
  const float* query = nullptr;
  std::size_t query_stride = 0;
  float scale = 1;  ///< of the products
  /// [entries, heads]: a_e = softmax over the list of scale query . x_e, before dropout.
  float* weights = nullptr;
  const float* keep = nullptr;  ///< [entries, heads] dropout's factors; null: all 1
  float* out = nullptr;         ///< as query: sum_e keep a_e x_e, 0 where a list is empty
  std::size_t out_stride = 0;
  float* sums = nullptr;  ///< [num_queries, heads] sum_e keep a_e; may be null
};

/// Codes of n rows, each of `words` words of 64 bits, at most 31: word w of row i is bits[w *
/// stride
/// + i].
struct BitCodes {
  const std::uint64_t* bits = nullptr;
  std::size_t stride = 0;
  std::size_t words = 0;
  std::size_t n = 0;
};

/// Rows of f32 weights in two halves for a step of Adam with lr and eps as adam() takes them:
/// `high` the weights rounded to bf16, halves up; `low` what is missing, so that (high << 16) + low
/// as signed numbers are the bits of the f32. Moments are bf16, rounded at random as a function of
/// place and key, itself a random number: with beta2 = 0.999 most steps are smaller than half a
/// unit of v's last place; rounded to nearest they would all be lost. All four lie as pack_b_bf16()
/// lays B out, panels `panel` numbers apart, and begin with the first of `rows` rows, itself a
/// multiple of 32.
struct SplitAdam {
  BFloat16* high = nullptr;
  std::int16_t* low = nullptr;
  BFloat16* m = nullptr;
  BFloat16* v = nullptr;
  std::size_t panel = 0;
  std::size_t rows = 0, cols = 0;
  const float* gradient = nullptr;  ///< [rows, cols]
  std::size_t gradient_stride = 0;
  float lr = 0, beta1 = 0, beta2 = 0, eps = 0;
  std::uint32_t key = 0;
};

}  // namespace frugal
