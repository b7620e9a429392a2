// Compiled once per instruction set with FRUGAL_ISA naming it (isa.cmake): the only symbol that
// leaves this file is the table kernels_<isa>.
#include "libcore/kernels/bodies/attention/attention.inl"
#include "libcore/kernels/bodies/bit_distances.inl"
#include "libcore/kernels/bodies/convert.inl"
#include "libcore/kernels/bodies/draws/alias_draws.inl"
#include "libcore/kernels/bodies/draws/draws.inl"
#include "libcore/kernels/bodies/dual.inl"
#include "libcore/kernels/bodies/functions.inl"
#include "libcore/kernels/bodies/gates.inl"
#include "libcore/kernels/bodies/levels.inl"
#include "libcore/kernels/bodies/nibbles.inl"
#include "libcore/kernels/bodies/norms.inl"
#include "libcore/kernels/bodies/optimise.inl"
#include "libcore/kernels/bodies/pairs.inl"
#include "libcore/kernels/bodies/products/dense.inl"
#include "libcore/kernels/bodies/products/gemm.inl"
#include "libcore/kernels/bodies/rows.inl"
#include "libcore/kernels/bodies/segments.inl"
#include "libcore/kernels/bodies/times.inl"
#if defined(__AMX_BF16__)
#include "libcore/kernels/bodies/products/gemm_amx.inl"
#elif defined(__AVX512BF16__)
#include "libcore/kernels/bodies/products/gemm_dots.inl"
#else
#include "libcore/kernels/bodies/products/gemm_stored.inl"
#endif

#define FRUGAL_JOIN_(a, b) a##b
#define FRUGAL_JOIN(a, b) FRUGAL_JOIN_(a, b)
#define FRUGAL_TEXT_(a) #a
#define FRUGAL_TEXT(a) FRUGAL_TEXT_(a)
#define FRUGAL_TABLE FRUGAL_JOIN(kernels_, FRUGAL_ISA)

namespace frugal {

extern const Kernels FRUGAL_TABLE;
const Kernels FRUGAL_TABLE = {
    .level = SimdLevel::FRUGAL_ISA,
    .name = FRUGAL_TEXT(FRUGAL_ISA),
    .dot = dot,
    .squared_norm = squared_norm,
    .axpy = axpy,
    .scale = scale,
    .max = max,
    .exp_sum = exp_sum,
    .softmax = softmax,
    .sigmoid = sigmoid,
    .logistic = logistic,
    .log1p = log1p_all,
    .tanh = tanh,
    .tanh_backward = tanh_backward,
    .relu = relu,
    .relu_backward = relu_backward,
    .gelu = gelu,
    .gelu_backward = gelu_backward,
    .all_finite = all_finite,
    .select_at_least = select_at_least,
    .add_piecewise = add_piecewise,
    .gather_sum = gather_sum,
    .scatter_add = scatter_add,
    .scatter_adagrad = scatter_adagrad,
    .gather_rows = gather_rows,
    .gather_bytes = gather_bytes,
    .gather_nibbles = gather_nibbles,
    .scatter_rows = scatter_rows,
    .scatter_rows_adagrad = scatter_rows_adagrad,
    .draw_distinct = draw_distinct,
    .draw_repeated = draw_repeated,
    .begin_alias_draws = begin_alias_draws,
    .take_new_entries = take_new_entries,
    .select_hashed = select_hashed,
    .sort_lowest = sort_lowest,
    .bit_distances = bit_distances,
    .select_at_most = select_at_most,
    .segment_sum = segment_sum,
    .segment_max = segment_max,
    .spread_rows = spread_rows,
    .score_nibbles = score_nibbles,
    .pair_dots = pair_dots,
    .pair_dots_backward = pair_dots_backward,
    .time_encode = time_encode,
    .time_encode_backward = time_encode_backward,
    .gru_forward = gru_forward,
    .gru_backward = gru_backward,
    .normalize_row = normalize_row,
    .normalize_row_backward = normalize_row_backward,
    .normalize_columns = normalize_columns,
    .normalize_columns_backward = normalize_columns_backward,
    .attention_forward = attention_forward,
    .attention_backward = attention_backward,
    .optimizers = kOptimizers,
    .adam_split = adam_split,
    .dual_sweep = dual_sweep,
    .to_bf16 = to_bf16,
    .from_bf16 = from_bf16,
    .to_bf16_at_random = to_bf16_at_random,
    .dropout = dropout,
    .transpose = transpose,
    .gemm_f32 = gemm_f32,
    .pack_b = pack_b,
    .gemm_bf16 = gemm_bf16,
    .pack_a_bf16 = pack_a_bf16,
    .pack_b_bf16 = pack_b_bf16,
    .transpose_blocks = transpose_blocks,
};

}  // namespace frugal
