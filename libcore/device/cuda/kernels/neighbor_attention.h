#pragma once
/// Attention of nodes over their last neighbours (tools/tgn-train/network/attention_heads.h): the
/// row of a neighbour is [row below | edge features | time encoding].
#include <cstdint>

#include "libcore/device/cuda/kernels/random_bits.h"
#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

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
  FRUGAL_DEVICE float at(std::uint32_t e, std::uint32_t c) const {
    if (c < below_dim) return below[std::uint64_t{neighbors[2 * e]} * below_dim + c];
    c -= below_dim;
    if (c < edges.dim) return edges.at(neighbors[2 * e + 1], c);
    return times[std::uint64_t{e} * time_dim + c - edges.dim];
  }
};

/// Factors of dropout, as Kernels::dropout() draws them: a function of key and place.
struct Keep {
  const std::uint32_t* key;  ///< on the device
  std::uint32_t threshold;   ///< 0: all is kept
  float factor;
};

/// What an attention has of each query and neighbour.
struct AttentionRows {
  std::uint32_t heads;
  float scale;
  const float* query;     ///< [queries, heads, width]
  float *weights, *kept;  ///< [neighbours, heads]: softmax, before and behind dropout
  std::uint32_t* owner;   ///< [neighbours] the query
  float* out;             ///< [queries, heads, width] sums of kept rows
  float* sums;            ///< [queries, heads] of what is kept
  const float* bias;      ///< [heads, head_dim] of the values
  std::uint32_t head_dim;
  float* values;  ///< [queries, heads, head_dim] sums times bias, to which the values are added
};

FRUGAL_DEVICE float row_dot(const NeighborRows& n, std::uint32_t e, const float* with) {
  float sum = 0;
  const std::uint32_t width = n.width();
  for (std::uint32_t c = own_lane(); c < width; c += kLanes) sum = fmaf(with[c], n.at(e, c), sum);
  return warp_sum(sum);
}

/// weights = softmax of the scaled products, kept = those that dropout leaves: of head h and the
/// neighbours [begin, end).
FRUGAL_DEVICE void weigh(const NeighborRows& n, const AttentionRows& a, const Keep& keep,
                         std::uint32_t q, std::uint32_t h) {
  const std::uint32_t begin = n.offsets[q], end = n.offsets[q + 1];
  const float* query = a.query + (std::uint64_t{q} * a.heads + h) * n.width();
  float most = -3.4e38F;
  for (std::uint32_t e = begin; e < end; ++e) {
    const float score = a.scale * row_dot(n, e, query);
    if (own_lane() == 0) a.weights[std::uint64_t{e} * a.heads + h] = score;
    if (score > most) most = score;
  }
  __syncwarp();
  float total = 0;
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    float* weight = a.weights + std::uint64_t{e} * a.heads + h;
    *weight = expf(*weight - most);
    total += *weight;
  }
  total = warp_sum(total);
  float sum = 0;
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    const float weight = a.weights[at] / total;
    const bool stays = keep.threshold == 0 || mix32(*keep.key + static_cast<std::uint32_t>(at) *
                                                                    kMixStep) >= keep.threshold;
    const float factor = stays ? (keep.threshold == 0 ? 1 : keep.factor) : 0;
    a.weights[at] = weight;
    a.kept[at] = factor * weight;
    sum += factor * weight;
    if (h == 0) a.owner[e] = q;
  }
  sum = warp_sum(sum);
  const std::uint64_t row = std::uint64_t{q} * a.heads + h;
  if (own_lane() == 0) a.sums[row] = sum;
  for (std::uint32_t c = own_lane(); c < a.head_dim; c += kLanes) {
    a.values[row * a.head_dim + c] = sum * a.bias[h * a.head_dim + c];
  }
}

/// A warp a query and head.
FRUGAL_KERNEL attention_forward(NeighborRows n, AttentionRows a, Keep keep) {
  const std::uint32_t q = own_row() / a.heads, h = own_row() % a.heads;
  if (q >= *n.num_queries) return;
  weigh(n, a, keep, q, h);
  __syncwarp();
  const std::uint32_t begin = n.offsets[q], end = n.offsets[q + 1], width = n.width();
  float* out = a.out + (std::uint64_t{q} * a.heads + h) * width;
  for (std::uint32_t c = own_lane(); c < width; c += kLanes) {
    float sum = 0;
    for (std::uint32_t e = begin; e < end; ++e) {
      sum = fmaf(a.kept[std::uint64_t{e} * a.heads + h], n.at(e, c), sum);
    }
    out[c] = sum;
  }
}

/// The gradients that come and those that go.
struct AttentionGradients {
  const float* dout;  ///< as AttentionRows::out, rows of heads `stride` apart
  std::uint32_t stride;
  const float* dvalues;  ///< as AttentionRows::values
  float* dscores;        ///< [neighbours, heads] of the products with the queries
  float* dquery;         ///< as AttentionRows::query
};

/// A warp a query and head. zero: queries up to which dquery is zero behind the last one.
FRUGAL_KERNEL attention_backward(NeighborRows n, AttentionRows a, Keep keep, AttentionGradients g,
                                 std::uint32_t zero) {
  const std::uint32_t q = own_row() / a.heads, h = own_row() % a.heads, width = n.width();
  const std::uint64_t row = std::uint64_t{q} * a.heads + h;
  if (q >= *n.num_queries) {
    for (std::uint32_t c = own_lane(); c < width && q < zero; c += kLanes) {
      g.dquery[row * width + c] = 0;
    }
    return;
  }
  const std::uint32_t begin = n.offsets[q], end = n.offsets[q + 1];
  float by_sum = 0, mean = 0;
  for (std::uint32_t c = own_lane(); c < a.head_dim; c += kLanes) {
    by_sum = fmaf(g.dvalues[row * a.head_dim + c], a.bias[h * a.head_dim + c], by_sum);
  }
  by_sum = warp_sum(by_sum);
  for (std::uint32_t e = begin; e < end; ++e) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    const bool stays = keep.threshold == 0 || mix32(*keep.key + static_cast<std::uint32_t>(at) *
                                                                    kMixStep) >= keep.threshold;
    const float factor = stays ? (keep.threshold == 0 ? 1 : keep.factor) : 0;
    const float d = factor * (row_dot(n, e, g.dout + row * g.stride) + by_sum);
    mean = fmaf(a.weights[at], d, mean);
    if (own_lane() == 0) g.dscores[at] = d;
  }
  __syncwarp();
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + h;
    g.dscores[at] = a.scale * a.weights[at] * (g.dscores[at] - mean);
  }
  __syncwarp();
  for (std::uint32_t c = own_lane(); c < width; c += kLanes) {
    float sum = 0;
    for (std::uint32_t e = begin; e < end; ++e) {
      sum = fmaf(g.dscores[std::uint64_t{e} * a.heads + h], n.at(e, c), sum);
    }
    g.dquery[row * width + c] = sum;
  }
}

/// Column c of the gradient of a neighbour's row, all heads together.
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

/// [sum of all neighbours' rows | their number], [queries, width + 1], and owners and weights of 1
/// for neighbor_gradient(). A warp a query.
FRUGAL_KERNEL neighbor_sums(NeighborRows n, AttentionRows a) {
  const std::uint32_t q = own_row();
  if (q >= *n.num_queries) return;
  const std::uint32_t begin = n.offsets[q], end = n.offsets[q + 1], width = n.width();
  float* out = a.out + std::uint64_t{q} * (width + 1);
  for (std::uint32_t c = own_lane(); c < width; c += kLanes) {
    float sum = 0;
    for (std::uint32_t e = begin; e < end; ++e) sum += n.at(e, c);
    out[c] = sum;
  }
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    a.owner[e] = q;
    a.kept[e] = 1;
  }
  if (own_lane() == 0) out[width] = static_cast<float>(end - begin);
}

}  // namespace frugal::cuda
