#pragma once
#include <cstddef>
#include <cstdint>

#include "libcore/base/float16.h"

namespace frugal {

/// Columns in a panel of packed B, on every ISA.
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
  /// Columns whose panels the kernel goes through for all rows before it takes the next ones, a
  /// multiple of kPanelColumns. No sum depends on it.
  std::size_t block_columns = 512;
};

/// C = alpha A B + beta C with A and B in bf16 and sums in f32; subnormal numbers count as zero. A
/// is laid out by pack_a_bf16(), with rows a_row apart; B by pack_b_bf16(), with panels b_panel
/// apart.
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

/// The operand op(B) [k, n] of the pack functions: element (p, j) is b[p * row + j * col]. One of
/// the strides is 1.
struct PackArgs {
  const float* b = nullptr;
  std::size_t row = 0, col = 1;
  std::size_t k = 0, n = 0;
};

/// The operand A of a bf16 product. Element (i, p) is a[i * row + p * col], one of the strides
/// being 1, and is written to out[i * out_row + p].
struct RoundArgs {
  const float* a = nullptr;
  std::size_t row = 0, col = 1;
  std::size_t rows = 0, depth = 0;
  BFloat16* out = nullptr;
  std::size_t out_row = 0;
};

/// Rows of a table that row-wise Adagrad updates. Row r is table[r * stride], its accumulator
/// history[r * history_stride]: history_stride is 1 for a separate array, or `stride` if
/// accumulators are in the padding of the rows.
struct RowUpdate {
  float* table = nullptr;
  std::size_t stride = 0, dim = 0;
  float* history = nullptr;
  std::size_t history_stride = 1;
  float lr = 0, eps = 0;
};

/// Blocks of `dim` numbers that are added to a table: the block x[sources[j]] goes to table[rows[j]
/// * stride]. Blocks may overlap in the table.
struct RowScatter {
  float* table = nullptr;
  std::size_t stride = 0, dim = 0;
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* sources = nullptr;
  std::size_t n = 0;
  const float* x = nullptr;
};

/// Rows of quantised numbers: integer levels, multiplied by the scale of their group of
/// 2^group_bits numbers. Row j begins at number first + places[j] * unit and is written to out[j *
/// length].
struct LevelRows {
  const void* levels = nullptr;
  const void* scales = nullptr;
  unsigned group_bits = 0;  ///< a group is at least as long as a vector
  std::uint64_t first = 0;
  const std::uint32_t* places = nullptr;
  std::size_t n = 0, unit = 0, length = 0;
  float* out = nullptr;
};

/// Number types of a table's rows; i8 rows have one scale each.
enum class RowType : std::uint8_t { f32, f16, bf16, i8 };

/// Index that segment_max() writes for an empty segment.
inline constexpr std::uint32_t kEmptySegment = 0xffffffff;

/// Sums of rows of a table. Segment t is the weighted sum of the table rows with the numbers
/// rows[offsets[t] - offsets[0] .. offsets[t + 1] - offsets[0]).
struct SegmentSum {
  RowType type = RowType::f32;
  const void* table = nullptr;
  std::size_t stride = 0, dim = 0;  ///< in numbers
  const float* scales = nullptr;    ///< i8: [rows of the table]
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* offsets = nullptr;  ///< [num_segments + 1]
  std::size_t num_segments = 0;
  const float* weights = nullptr;  ///< weight of rows[e] at weights[e * weight_stride]; null: all 1
  std::size_t weight_stride = 1;
  bool mean = false;  ///< divide by the number of rows; 0 if there are none
  bool add = false;   ///< add to `out` instead of overwriting it
  float* out = nullptr;
  std::size_t out_stride = 0;
};

/// Multiplicative hash of row numbers: places[i] = floor((rows[i] step + offsets[i] mod 2^64) range
/// / 2^64) scale. If offsets is null, all are `offset`.
struct SpreadArgs {
  const std::uint64_t* offsets = nullptr;
  const std::uint32_t* rows = nullptr;
  std::size_t n = 0;
  std::uint64_t step = 0, offset = 0;
  std::uint32_t range = 1, scale = 1;
  std::uint32_t* places = nullptr;
};

/// Most classifiers that dual_sweep() trains at a time: one cache line of weights per feature.
inline constexpr std::size_t kDualLanes = 16;
/// Floats in a row of weights of so many classifiers: 4, 8 or kDualLanes.
constexpr std::size_t dual_width(std::size_t classifiers) {
  return classifiers <= 4 ? 4 : classifiers <= 8 ? 8 : kDualLanes;
}

/// Trains linear classifiers with squared hinge loss on the same examples, as many as `width` at
/// most. What becomes of one does not depend on the width. Lane l of each row belongs to classifier
/// l, which minimises |w|^2 / 2 + sum C max(0, 1 - y w.x)^2. The dual has the variables alpha >= 0
/// with w = sum alpha y x; their gradient is y w.x - 1 + alpha / (2 C).
struct DualSweep {
  // Examples in CSR form: example e has the features and values at [begin[e], begin[e + 1]), and
  // before these a constant one, the bias.
  const std::uint64_t* begin = nullptr;
  const std::uint32_t* features = nullptr;
  const float* values = nullptr;
  float bias = 0;  ///< value of the constant feature
  /// Bit l of example e: y = 1 for classifier l, else -1.
  const std::uint16_t* positives = nullptr;
  const float* inverse_curvature = nullptr;  ///< 1 / (|x|^2 + diagonal) of each example
  const float* diagonals = nullptr;          ///< 1 / (2 C) of each example
  float* weights = nullptr;                  ///< [1 + features, width], the bias in the first row
  float* alphas = nullptr;                   ///< [examples, width]
  std::uint32_t* order = nullptr;            ///< [n] the examples of this sweep
  std::size_t n = 0;
  std::uint32_t lanes = 0;  ///< bit l: classifier l is trained
  /// [width] a variable at 0 with a larger gradient is skipped.
  const float* limits = nullptr;
  // [width] updated to the largest and the smallest projected gradient of the sweep.
  float* largest = nullptr;
  float* smallest = nullptr;
  std::size_t width = kDualLanes;  ///< as dual_width() says
};

/// A function that is linear between equidistant knots and constant outside of them.
struct PiecewiseLinear {
  static constexpr std::size_t kKnots = 9;
  float first = 0;     ///< place of the first knot
  float per_unit = 1;  ///< knots in a unit
  /// [kKnots + 1] values at the knots, then at -inf
  const float* values = nullptr;
};

/// Rows in a panel of 4-bit numbers (nibbles).
inline constexpr std::size_t kNibbleRows = 16;

/// Scores of rows quantised to 4 bits, and upper bounds of panels of them. With the margin
///   z[r] = scale[r] x_scale (offset + sum_p x[p] row_r[p]) + bias[r]
/// scores[r] = z[r] + shift error[r] - half_variance error[r]^2, and highest[r / kNibbleRows] is
/// the maximum of z[r] + slack error[r] over the panel. Column p of row r is in the byte panels[(r
/// / kNibbleRows * depth + p / 8 * 8) * kNibbleRows / 2 + r % kNibbleRows * 4 + p % 4], in its
/// lower half if p % 8 < 4. The integer sums are the same on every ISA.
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

/// `count` vectors of `dim` floats, for the dot products of all pairs: `first`, unless it is null,
/// and then the vectors at `rest`, one after another. Pair (i, j) with j < i (diagonal: j <= i) has
/// the number i (i - 1) / 2 + j (diagonal: i (i + 1) / 2 + j).
struct PairDots {
  const float* first = nullptr;
  const float* rest = nullptr;
  std::size_t count = 0;  ///< includes `first`
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

/// Random samples of entries of lists. List i consists of the entries [begin[i], begin[i] +
/// size[i]) of an array. Its draws are a function of key and first + i, the same on every ISA.
struct ListDraws {
  const std::uint64_t* begin = nullptr;
  const std::uint32_t* size = nullptr;
  std::size_t count = 0;
  std::uint32_t k = 0;  ///< entries to draw from each list
  std::uint64_t key = 0, first = 0;
  /// The array, to prefetch the drawn entries; may be null.
  const std::uint32_t* entries = nullptr;
  std::uint32_t* taken = nullptr;  ///< [count] entries drawn from each list
  std::uint64_t* picks = nullptr;  ///< positions of the drawn entries, list by list
};

/// Chooses ids by their hashes.
struct HashedSelection {
  const std::uint32_t* ids = nullptr;
  std::size_t num_ids = 0;
  std::uint64_t key = 0;    ///< key of the hashes
  std::uint32_t bound = 0;  ///< largest hash to choose
  /// Ids to prefetch, a line for each line of the ids above.
  const std::uint32_t* next = nullptr;
  std::size_t num_next = 0;
};

/// The most values that Kernels::sort_lowest() takes, for which n^2 steps are still fast.
inline constexpr std::size_t kMaxSortedLowest = 320;

/// Time encodings cos(w[j] dt[i] + b[j]) (Xu et al., ICLR 2020, equation 5, as used by Rossi et
/// al., 2020). Phases up to 10^9 are accurate to 1e-6, so dt may be seconds up to Unix times.
struct TimeEncoding {
  const double* dt = nullptr;  ///< [rows]
  std::size_t rows = 0;
  const float* w = nullptr;  ///< [dim], as b
  const float* b = nullptr;
  std::size_t dim = 0;
};

/// Gates of gated recurrent units (Cho et al., 2014, as PyTorch's GRUCell) for `rows` rows. r =
/// sigmoid(rz[:, 0:dim]), z = sigmoid(rz[:, dim:2 dim]), n = tanh(nx + r nh); the new state is (1 -
/// z) n + z h.
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

/// A part of the columns of the attended rows: for entry e, row rows[e] of a table.
struct AttentionPart {
  const float* table = nullptr;
  std::size_t stride = 0, dim = 0;      ///< dim may be 0
  const std::uint32_t* rows = nullptr;  ///< null: row e
  float* gradient = nullptr;            ///< null: no gradient is computed
  std::size_t gradient_stride = 0;
  /// Row of `gradient` that entry e adds to; kNoGradient: none. Null: row e. Rows may repeat.
  const std::uint32_t* gradient_rows = nullptr;
};

inline constexpr std::uint32_t kNoGradient = 0xffffffff;

/// Attention (Vaswani et al., 2017, section 3.2) over lists of rows x_e = [part 0 | part 1 | part
/// 2], which are keys and values at once: the query includes the projection of the keys, and the
/// projection of the values follows `out`. List q consists of the entries [offsets[q], offsets[q +
/// 1]). Arrays of entries begin with entry 0, whatever offsets[0] is. To process a part of the
/// lists, advance `offsets` and the arrays with a row per query.
struct Attention {
  AttentionPart parts[3];
  std::size_t num_parts = 0;
  const std::uint32_t* offsets = nullptr;  ///< [num_queries + 1]
  std::size_t num_queries = 0, heads = 0;
  /// [num_queries, heads * width], where width is the sum of the parts' dims. Each head is the
  /// vector that the entries are multiplied with.
  const float* query = nullptr;
  std::size_t query_stride = 0;
  float scale = 1;  ///< factor of the products
  /// [entries, heads]: a_e = softmax over the list of scale query . x_e, before dropout.
  float* weights = nullptr;
  const float* keep = nullptr;  ///< [entries, heads] dropout's factors; null: all 1
  float* out = nullptr;         ///< shaped as query: sum_e keep a_e x_e; 0 for an empty list
  std::size_t out_stride = 0;
  float* sums = nullptr;  ///< [num_queries, heads] sum_e keep a_e; may be null
};

/// A row of n numbers to normalise, with the factor and the term of each.
struct RowNorm {
  const float* x = nullptr;
  const float* gamma = nullptr;
  const float* beta = nullptr;
  std::size_t n = 0;
};

/// A matrix whose columns are normalised. gamma, beta: [rows]. Results have the same stride.
struct ColumnNorm {
  const float* x = nullptr;
  std::size_t stride = 0;
  std::size_t rows = 0, cols = 0;
  const float* gamma = nullptr;
  const float* beta = nullptr;
};

/// Binary codes of n rows, each of `words` 64-bit words (at most 31). Word w of row i is bits[w *
/// stride + i].
struct BitCodes {
  const std::uint64_t* bits = nullptr;
  std::size_t stride = 0;
  std::size_t words = 0;
  std::size_t n = 0;
};

/// Rows of f32 weights in two halves, for a step of Adam (lr and eps as in adam()). `high` is the
/// weight rounded to bf16, ties upwards; `low` is the rest, so that (high << 16) + low, as signed
/// numbers, are the bits of the f32.
///
/// Moments are bf16 and are rounded stochastically, as a function of position and key, itself a
/// random number. With beta2 = 0.999 most steps are smaller than half a unit in v's last place:
/// rounding to nearest would lose them all. All four arrays have the layout of pack_b_bf16(), with
/// panels `panel` numbers apart. They begin with the first of `rows` rows, whose number is a
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
