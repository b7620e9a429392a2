#pragma once
/// Rows of queries: their own rows below, and the way of gradients to the rows that they came from.
#include <cstdint>

#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

/// out [n, dim] = rows from[self[r]] [.., dim].
FRUGAL_KERNEL gather_own(const std::uint32_t* n, const std::uint32_t* self, const float* from,
                         std::uint32_t dim, float* out, std::uint32_t stride) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  for (std::uint32_t c = own_lane(); c < dim; c += kLanes) {
    out[std::uint64_t{row} * stride + c] = from[std::uint64_t{self[row]} * dim + c];
  }
}

/// The same row [dim] in all rows of out [n, stride].
FRUGAL_KERNEL spread_row(const std::uint32_t* n, const float* from, std::uint32_t dim, float* out,
                         std::uint32_t stride) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  for (std::uint32_t c = own_lane(); c < dim; c += kLanes) {
    out[std::uint64_t{row} * stride + c] = from[c];
  }
}

/// Zeros in the rows of queries without neighbours.
FRUGAL_KERNEL clear_lonely(const std::uint32_t* n, const std::uint32_t* offsets, float* rows,
                           std::uint32_t dim) {
  const std::uint32_t row = own_row();
  if (row >= *n || offsets[row] != offsets[row + 1]) return;
  for (std::uint32_t c = own_lane(); c < dim; c += kLanes) rows[std::uint64_t{row} * dim + c] = 0;
}

/// Zeros in the first columns of d where those of `rows` are not above zero: the backward pass of
/// ReLU. Both `stride` apart.
FRUGAL_KERNEL mask_columns(const std::uint32_t* n, std::uint32_t columns, std::uint32_t stride,
                           const float* rows, float* d) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  for (std::uint32_t c = own_lane(); c < columns; c += kLanes) {
    const std::uint64_t at = std::uint64_t{row} * stride + c;
    if (!(rows[at] > 0)) d[at] = 0;
  }
}

/// Lists of rows: list r is from[begin[r] .. begin[r + 1]): neighbours, then queries from their
/// number on.
struct GradientLists {
  const std::uint32_t *num_rows, *num_neighbors;
  const std::uint32_t *begin, *from;
  const float* of_neighbors;  ///< [neighbours, dim], or null where there are none
  const float* of_queries;    ///< rows `stride` apart
  std::uint32_t stride, dim;
};

/// out [rows, dim] = the sum of each row's list.
FRUGAL_KERNEL add_lists(GradientLists l, float* out) {
  const std::uint32_t row = own_row();
  if (row >= *l.num_rows) return;
  const std::uint32_t neighbors = *l.num_neighbors;
  for (std::uint32_t c = own_lane(); c < l.dim; c += kLanes) {
    float sum = 0;
    for (std::uint32_t i = l.begin[row]; i < l.begin[row + 1]; ++i) {
      const std::uint32_t from = l.from[i];
      sum += from < neighbors ? l.of_neighbors[std::uint64_t{from} * l.dim + c]
                              : l.of_queries[std::uint64_t{from - neighbors} * l.stride + c];
    }
    out[std::uint64_t{row} * l.dim + c] = sum;
  }
}

/// values [n, heads, dim] (rows `stride` apart) += sums [n, heads] times bias [heads, dim].
FRUGAL_KERNEL add_head_bias(const std::uint32_t* n, const float* sums, const float* bias,
                            std::uint32_t heads, std::uint32_t dim, float* values) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  for (std::uint32_t c = own_lane(); c < heads * dim; c += kLanes) {
    float* value = values + std::uint64_t{row} * heads * dim + c;
    *value = fmaf(sums[std::uint64_t{row} * heads + c / dim], bias[c], *value);
  }
}

/// dsums [n, heads] = dvalues [n, heads, dim] times bias. A warp a row.
FRUGAL_KERNEL head_bias_dots(const std::uint32_t* n, const float* dvalues, const float* bias,
                             std::uint32_t heads, std::uint32_t dim, float* dsums) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  for (std::uint32_t h = 0; h < heads; ++h) {
    float sum = 0;
    for (std::uint32_t c = h * dim + own_lane(); c < (h + 1) * dim; c += kLanes) {
      sum = fmaf(dvalues[std::uint64_t{row} * heads * dim + c], bias[c], sum);
    }
    sum = warp_sum(sum);
    if (own_lane() == 0) dsums[std::uint64_t{row} * heads + h] = sum;
  }
}

/// JODIE's projection: out = own (1 + factors); all [n, dim].
FRUGAL_KERNEL project(const std::uint32_t* n, std::uint32_t dim, const float* own,
                      const float* factors, float* out) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at / dim < *n) out[at] = own[at] * (1 + factors[at]);
}

/// dfactors = d own, d *= 1 + factors.
FRUGAL_KERNEL project_backward(const std::uint32_t* n, std::uint32_t dim, const float* own,
                               const float* factors, float* d, float* dfactors) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at / dim >= *n) return;
  dfactors[at] = d[at] * own[at];
  d[at] *= 1 + factors[at];
}

}  // namespace frugal::cuda
