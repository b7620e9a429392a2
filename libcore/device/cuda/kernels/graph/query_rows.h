#pragma once
/// Rows of queries: gathering their own rows below, and returning gradients to these.
#include <cstdint>

#include "libcore/device/cuda/kernels/graph/neighbor_attention.h"
#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

/// A row [dim] that is copied to all rows of `out`, `stride` apart; dim 0: none.
struct ConstantRow {
  const float* row;
  std::uint32_t dim;
  float* out;
  std::uint32_t stride;
};

/// out [n, dim] = rows from[self[r]] of [.., dim]. One block per row.
FRUGAL_KERNEL gather_own(const std::uint32_t* n, const std::uint32_t* self, const float* from,
                         std::uint32_t dim, float* out, std::uint32_t stride,
                         ConstantRow constant) {
  const std::uint32_t row = blockIdx.x;
  if (row >= *n) return;
  const float* own = from + std::uint64_t{self[row]} * dim;
  for (std::uint32_t c = threadIdx.x; c < dim; c += blockDim.x) {
    out[std::uint64_t{row} * stride + c] = own[c];
  }
  for (std::uint32_t c = threadIdx.x; c < constant.dim; c += blockDim.x) {
    constant.out[std::uint64_t{row} * constant.stride + c] = constant.row[c];
  }
}

/// Backward pass of ReLU: zeroes d in its first columns wherever `rows` is not above zero. The rows
/// of both are `stride` apart.
FRUGAL_KERNEL mask_columns(const std::uint32_t* n, std::uint32_t columns, std::uint32_t stride,
                           const float* rows, float* d) {
  const std::uint32_t row = own_row();
  if (row >= *n) return;
  for (std::uint32_t c = own_lane(); c < columns; c += kLanes) {
    const std::uint64_t at = std::uint64_t{row} * stride + c;
    if (!(rows[at] > 0)) d[at] = 0;
  }
}

/// Lists of gradients per row: row r gets those of from[begin[r] .. begin[r + 1]). Entries are
/// neighbours, followed by queries, which are numbered after them.
struct GradientLists {
  const std::uint32_t *num_rows, *num_neighbors;
  const std::uint32_t *begin, *from;
  const float* of_queries;  ///< rows `stride` apart
  std::uint32_t stride, dim;
  std::uint32_t most;  ///< largest number of rows
  std::uint32_t zero;  ///< rows up to which out is zero after the last one
};

/// out [rows, dim] = the sum of each row's list; dtimes [neighbours, time_dim], or null, = the
/// gradients of the time encodings. Gradients of neighbours are those of neighbor_gradient(). One
/// block for each of l.most rows, then one for every kRowsPerBlock neighbours.
FRUGAL_KERNEL gradients_below(GradientLists l, NeighborRows n, AttentionRows a,
                              AttentionGradients g, float* out, float* dtimes) {
  const std::uint32_t neighbors = *l.num_neighbors, row = blockIdx.x;
  if (row >= l.most) {
    const std::uint32_t e = (row - l.most) * kRowsPerBlock + own_warp();
    if (e >= neighbors) return;
    for (std::uint32_t c = own_lane(); c < n.time_dim; c += kLanes) {
      dtimes[std::uint64_t{e} * n.time_dim + c] =
          neighbor_gradient(n, a, g, e, n.width() - n.time_dim + c);
    }
    return;
  }
  const bool is_there = row < *l.num_rows;
  if (!is_there && row >= l.zero) return;
  const std::uint32_t begin = is_there ? l.begin[row] : 0, end = is_there ? l.begin[row + 1] : 0;
  for (std::uint32_t c = threadIdx.x; c < l.dim; c += blockDim.x) {
    float sum = 0;
    for (std::uint32_t i = begin; i < end; i += kRowLoads) {
      float terms[kRowLoads];
      FRUGAL_UNROLL
      for (std::uint32_t k = 0; k < kRowLoads; ++k) {
        const std::uint32_t from = i + k < end ? l.from[i + k] : 0;
        if (i + k >= end) {
          terms[k] = 0;
        } else if (from < neighbors) {
          terms[k] = neighbor_gradient(n, a, g, from, c);
        } else {
          terms[k] = l.of_queries[std::uint64_t{from - neighbors} * l.stride + c];
        }
      }
      FRUGAL_UNROLL
      for (std::uint32_t k = 0; k < kRowLoads; ++k) sum += terms[k];
    }
    out[std::uint64_t{row} * l.dim + c] = sum;
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
