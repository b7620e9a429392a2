#pragma once
/// Attention of nodes over their latest neighbours (tgn-train's attention_heads.h). A neighbour's
/// row is [row below | edge features | time encoding]. One block of threads handles a query and
/// head: its warps share the neighbours, then its threads share the columns.
#include <cstdint>

#include "libcore/device/cuda/kernels/random_bits.h"
#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

/// Numbers that a thread loads before it uses the first.
inline constexpr std::uint32_t kRowLoads = 4;

/// A neighbour's row, whose three parts are in different arrays.
struct NeighborRow {
  /// `time` is the address from which columns count, so that the encoding follows the other parts.
  const float *below, *time;
  const StoredRows* edges;
  std::uint64_t edge;
  std::uint32_t below_dim, edge_end;

  FRUGAL_DEVICE float at(std::uint32_t c) const {
    if (edges->half && c >= below_dim && c < edge_end) return edges->at(edge, c - below_dim);
    const float* features = static_cast<const float*>(edges->data) + edge * edges->dim;
    return *(c < below_dim ? below + c : c < edge_end ? features + (c - below_dim) : time + c);
  }
};

struct NeighborRows {
  const std::uint32_t* num_queries;
  const std::uint32_t* offsets;    ///< [queries + 1]
  const std::uint32_t* neighbors;  ///< [.., 2] row below, event
  const float* below;              ///< [.., below_dim]
  std::uint32_t below_dim;
  StoredRows edges;
  const float* times;  ///< [neighbours, time_dim]
  std::uint32_t time_dim;

  FRUGAL_DEVICE std::uint32_t width() const { return below_dim + edges.dim + time_dim; }
  FRUGAL_DEVICE NeighborRow row(std::uint32_t e) const {
    const std::uint32_t edge_end = below_dim + edges.dim;
    return {below + std::uint64_t{neighbors[2 * e]} * below_dim,
            times + std::uint64_t{e} * time_dim - edge_end,
            &edges,
            neighbors[2 * e + 1],
            below_dim,
            edge_end};
  }
};

/// Dropout factors as Kernels::dropout() draws them, a function of key and position.
struct Keep {
  const std::uint32_t* key;  ///< on the device
  std::uint32_t threshold;   ///< 0: no dropout
  float factor;

  FRUGAL_DEVICE float of(std::uint64_t place) const {
    if (threshold == 0) return 1;
    return mix32(*key + static_cast<std::uint32_t>(place) * kMixStep) >= threshold ? factor : 0;
  }
};

/// Inputs and outputs of attention, per query and per neighbour.
struct AttentionRows {
  std::uint32_t heads;
  float scale;
  const float* query;     ///< [queries, heads, width]
  float *weights, *kept;  ///< [neighbours, heads]: softmax, before and after dropout
  std::uint32_t* owner;   ///< [neighbours] query of each
  float* out;             ///< [queries, heads, width] sums of rows, weighted by `kept`
  float* sums;            ///< [queries, heads] sums of `kept`
  const float* bias;      ///< [heads, head_dim] bias of the values
  std::uint32_t head_dim;
  /// [queries, heads, head_dim] sums times bias; the caller adds the rest of the values.
  float* values;
};

/// Dot product of two rows of `width` numbers, by a whole warp.
template <class Row>
FRUGAL_DEVICE float row_dot(std::uint32_t width, const float* with, const Row& row) {
  float sum = 0;
  for (std::uint32_t begin = own_lane(); begin < width; begin += kRowLoads * kLanes) {
    float x[kRowLoads], y[kRowLoads];
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kRowLoads; ++i) {
      const std::uint32_t c = begin + i * kLanes;
      x[i] = c < width ? with[c] : 0;
      y[i] = c < width ? row(c) : 0;
    }
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kRowLoads; ++i) sum = fmaf(x[i], y[i], sum);
  }
  return warp_sum(sum);
}

/// Column c of the sum of the rows of neighbours [begin, end), each times weights[e, h] of `heads`;
/// weights null: 1.
FRUGAL_DEVICE float neighbor_sum(const NeighborRows& n, std::uint32_t begin, std::uint32_t end,
                                 std::uint32_t c, const float* weights, std::uint32_t heads,
                                 std::uint32_t h) {
  float sum = 0;
  for (std::uint32_t first = begin; first < end; first += kRowLoads) {
    float x[kRowLoads], weight[kRowLoads];
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kRowLoads; ++i) {
      const std::uint32_t e = first + i;
      x[i] = e < end ? n.row(e).at(c) : 0;
      weight[i] = e < end && weights != nullptr ? weights[std::uint64_t{e} * heads + h] : 1;
    }
    FRUGAL_UNROLL
    for (std::uint32_t i = 0; i < kRowLoads; ++i) sum = fmaf(weight[i], x[i], sum);
  }
  return sum;
}

/// Replaces the scores in `weights` by their softmax, and writes `kept`, the weights after dropout:
/// for head h and the neighbours [begin, end). By one warp.
FRUGAL_DEVICE void weigh(const AttentionRows& a, const Keep& keep, std::uint32_t begin,
                         std::uint32_t end, std::uint32_t q, std::uint32_t h) {
  float most = -3.4e38F, total = 0, sum = 0;
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const float score = a.weights[std::uint64_t{e} * a.heads + h];
    if (score > most) most = score;
  }
  most = warp_most(most);
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    float* weight = a.weights + std::uint64_t{e} * a.heads + h;
    *weight = expf(*weight - most);
    total += *weight;
  }
  total = warp_sum(total);
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    const float weight = a.weights[at] / total, kept = keep.of(at) * weight;
    a.weights[at] = weight;
    a.kept[at] = kept;
    sum += kept;
    if (h == 0) a.owner[e] = q;
  }
  sum = warp_sum(sum);
  if (own_lane() == 0) a.sums[std::uint64_t{q} * a.heads + h] = sum;
}

FRUGAL_KERNEL attention_forward(NeighborRows n, AttentionRows a, Keep keep) {
  const std::uint32_t q = blockIdx.x / a.heads, h = blockIdx.x % a.heads;
  if (q >= *n.num_queries) return;
  const std::uint32_t begin = n.offsets[q], end = n.offsets[q + 1], width = n.width();
  const std::uint64_t row = std::uint64_t{q} * a.heads + h;
  for (std::uint32_t e = begin + own_warp(); e < end; e += kRowsPerBlock) {
    const NeighborRow neighbor = n.row(e);
    const float score = a.scale * row_dot(width, a.query + row * width,
                                          [&](std::uint32_t c) { return neighbor.at(c); });
    if (own_lane() == 0) a.weights[std::uint64_t{e} * a.heads + h] = score;
  }
  __syncthreads();
  if (own_warp() == 0) weigh(a, keep, begin, end, q, h);
  __syncthreads();
  for (std::uint32_t c = threadIdx.x; c < width; c += blockDim.x) {
    a.out[row * width + c] = neighbor_sum(n, begin, end, c, a.kept, a.heads, h);
  }
  for (std::uint32_t c = threadIdx.x; c < a.head_dim; c += blockDim.x) {
    a.values[row * a.head_dim + c] = a.sums[row] * a.bias[h * a.head_dim + c];
  }
}

/// Incoming and outgoing gradients of attention.
struct AttentionGradients {
  const float* dout;  ///< shaped as AttentionRows::out, rows of heads `stride` apart
  std::uint32_t stride;
  const float* dvalues;  ///< shaped as AttentionRows::values
  float* dscores;        ///< [neighbours, heads] gradients of the scores
  float* dquery;         ///< shaped as AttentionRows::query
};

/// zero: number of queries up to which dquery is zero after the last one.
FRUGAL_KERNEL attention_backward(NeighborRows n, AttentionRows a, Keep keep, AttentionGradients g,
                                 std::uint32_t zero) {
  const std::uint32_t q = blockIdx.x / a.heads, h = blockIdx.x % a.heads, width = n.width();
  const std::uint64_t row = std::uint64_t{q} * a.heads + h;
  const bool is_there = q < *n.num_queries;
  if (!is_there && q >= zero) return;
  const std::uint32_t begin = is_there ? n.offsets[q] : 0, end = is_there ? n.offsets[q + 1] : 0;
  const float* bias = a.bias + h * a.head_dim;
  const float by_sum = begin == end ? 0
                                    : row_dot(a.head_dim, g.dvalues + row * a.head_dim,
                                              [&](std::uint32_t c) { return bias[c]; });
  for (std::uint32_t e = begin + own_warp(); e < end; e += kRowsPerBlock) {
    const NeighborRow neighbor = n.row(e);
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    const float dot =
        row_dot(width, g.dout + row * g.stride, [&](std::uint32_t c) { return neighbor.at(c); });
    if (own_lane() == 0) g.dscores[at] = keep.of(at) * (dot + by_sum);
  }
  __syncthreads();
  float mean = 0;
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    mean = fmaf(a.weights[at], g.dscores[at], mean);
  }
  mean = warp_sum(mean);
  __syncthreads();  // all warps have read
  for (std::uint32_t e = begin + threadIdx.x; e < end; e += blockDim.x) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    g.dscores[at] = a.scale * a.weights[at] * (g.dscores[at] - mean);
  }
  __syncthreads();
  for (std::uint32_t c = threadIdx.x; c < width; c += blockDim.x) {
    g.dquery[row * width + c] = neighbor_sum(n, begin, end, c, g.dscores, a.heads, h);
  }
}

/// Column c of the gradient of a neighbour's row, summed over the heads.
FRUGAL_DEVICE float neighbor_gradient(const NeighborRows& n, const AttentionRows& a,
                                      const AttentionGradients& g, std::uint32_t e,
                                      std::uint32_t c) {
  const std::uint64_t query = std::uint64_t{a.owner[e]} * a.heads;
  float sum = 0;
  for (std::uint32_t h = 0; h < a.heads; ++h) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    sum = fmaf(a.kept[at], g.dout[(query + h) * g.stride + c], sum);
    if (g.dscores != nullptr) sum = fmaf(g.dscores[at], a.query[(query + h) * n.width() + c], sum);
  }
  return sum;
}

/// Writes [sum of all neighbours' rows | their number], [queries, width + 1], and owners and
/// weights of 1 for neighbor_gradient(). One block per query.
FRUGAL_KERNEL neighbor_sums(NeighborRows n, AttentionRows a) {
  const std::uint32_t q = blockIdx.x;
  if (q >= *n.num_queries) return;
  const std::uint32_t begin = n.offsets[q], end = n.offsets[q + 1], width = n.width();
  float* out = a.out + std::uint64_t{q} * (width + 1);
  for (std::uint32_t c = threadIdx.x; c < width; c += blockDim.x) {
    out[c] = neighbor_sum(n, begin, end, c, nullptr, 1, 0);
  }
  for (std::uint32_t e = begin + threadIdx.x; e < end; e += blockDim.x) {
    a.owner[e] = q;
    a.kept[e] = 1;
  }
  if (threadIdx.x == 0) out[width] = static_cast<float>(end - begin);
}

}  // namespace frugal::cuda
