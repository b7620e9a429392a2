#pragma once
/// Graph attention (gnn-sample's gat_conv.h). Each target gets a weighted sum of rows h [sources,
/// heads, out] over its neighbours and itself.
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/kernels/graph/message_blocks.h"
#include "libcore/device/cuda/kernels/graph/row_dropout.h"

namespace frugal::cuda {

inline constexpr float kAttentionSlope = 0.2F;  ///< slope of LeakyReLU below 0

/// Edges of a block for attention: self loops are removed, and one self loop per target is
/// appended. The edges of target t begin at offsets[t] + t; unused places have the source kNoRow.
struct AttentionEdges {
  std::uint32_t targets, sources, places;  ///< places: edges of the block plus targets
  const std::uint32_t* offsets;            ///< of the block
  std::uint32_t *ends, *neighbors;         ///< [targets], [places]

  FRUGAL_DEVICE std::uint32_t begin(std::uint32_t t) const { return offsets[t] + t; }
};

/// Fills the edges, and the keys, numbers and owners for sorting them by source; one thread per
/// target.
FRUGAL_KERNEL list_attention_edges(MessageBlock b, AttentionEdges a, std::uint32_t* keys,
                                   std::uint32_t* numbers, std::uint32_t* owners) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= b.targets) return;
  std::uint32_t at = a.begin(t);
  const auto add = [&](std::uint32_t source) {
    a.neighbors[at] = keys[at] = source;
    numbers[at] = at;
    owners[at++] = t;
  };
  for (std::uint32_t e = b.offsets[t]; e < b.offsets[t + 1]; ++e) {
    if (b.neighbors[e] != t) add(b.neighbors[e]);
  }
  add(t);
  a.ends[t] = at;
  while (at < b.offsets[t + 1] + t + 1) add(kNoRow);
}

/// Rows, scores and weights of an attention layer.
struct GraphAttention {
  std::uint32_t heads, out;
  const float* h;          ///< [sources, heads, out]
  float *source, *target;  ///< [sources, heads], [targets, heads]: att . h
  float *weights, *kept;   ///< [places, heads]: softmax, before and after dropout
  RowDropout dropout;

  FRUGAL_DEVICE const float* head(std::uint64_t row, std::uint32_t k) const {
    return h + (row * heads + k) * out;
  }
};

FRUGAL_DEVICE float head_product(const float* x, const float* y, std::uint32_t n) {
  float sum = 0;
  for (std::uint32_t c = own_lane(); c < n; c += kLanes) sum = fmaf(x[c], y[c], sum);
  return warp_sum(sum);
}

/// Computes a.source and a.target from both halves of the attention vector [heads, out]; one warp
/// per source and head.
FRUGAL_KERNEL attention_scores(AttentionEdges edges, GraphAttention a, const float* by_source,
                               const float* by_target) {
  const std::uint32_t s = own_row() / a.heads, k = own_row() % a.heads;
  if (s >= edges.sources) return;
  const std::uint64_t at = std::uint64_t{s} * a.heads + k;
  const float source = head_product(a.head(s, k), by_source + k * a.out, a.out);
  if (own_lane() == 0) a.source[at] = source;
  if (s >= edges.targets) return;
  const float target = head_product(a.head(s, k), by_target + k * a.out, a.out);
  if (own_lane() == 0) a.target[at] = target;
}

FRUGAL_DEVICE float attention_logit(const AttentionEdges& edges, const GraphAttention& a,
                                    std::uint32_t t, std::uint32_t k, std::uint32_t e) {
  return a.source[std::uint64_t{edges.neighbors[e]} * a.heads + k] +
         a.target[std::uint64_t{t} * a.heads + k];
}

/// Computes a.weights and a.kept of target t's edges for head k.
FRUGAL_DEVICE void weigh_edges(const AttentionEdges& edges, const GraphAttention& a,
                               std::uint32_t t, std::uint32_t k) {
  const std::uint32_t begin = edges.begin(t), end = edges.ends[t];
  float most = -INFINITY;
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const float z = attention_logit(edges, a, t, k, e);
    const float score = z > 0 ? z : kAttentionSlope * z;
    a.weights[std::uint64_t{e} * a.heads + k] = score;
    if (score > most) most = score;
  }
  most = warp_most(most);
  float total = 0;
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    float* weight = a.weights + std::uint64_t{e} * a.heads + k;
    *weight = expf(*weight - most);
    total += *weight;
  }
  total = warp_sum(total);
  const std::uint32_t key = a.dropout.row_key(t);
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + k;
    const float weight = a.weights[at] / total;
    a.weights[at] = weight;
    a.kept[at] = a.dropout.applied(key, (e - begin) * a.heads + k, weight);
  }
}

/// sums [targets, heads, out]; one warp per target and head.
FRUGAL_KERNEL graph_attention_forward(AttentionEdges edges, GraphAttention a, float* sums) {
  const std::uint32_t t = own_row() / a.heads, k = own_row() % a.heads;
  if (t >= edges.targets) return;
  weigh_edges(edges, a, t, k);
  __syncwarp();
  const std::uint32_t begin = edges.begin(t), end = edges.ends[t];
  float* to = sums + (std::uint64_t{t} * a.heads + k) * a.out;
  for (std::uint32_t c = own_lane(); c < a.out; c += kLanes) {
    float sum = 0;
    for (std::uint32_t e = begin; e < end; ++e) {
      sum = fmaf(a.kept[std::uint64_t{e} * a.heads + k], a.head(edges.neighbors[e], k)[c], sum);
    }
    to[c] = sum;
  }
}

/// out [targets, width]: the heads' sums concatenated, or their mean; bias [width] or null. One
/// thread per number.
FRUGAL_KERNEL join_heads(std::uint32_t targets, std::uint32_t heads, std::uint32_t out,
                         bool concatenates, const float* sums, const float* bias, float* to) {
  const std::uint32_t width = concatenates ? heads * out : out;
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= std::uint64_t{targets} * width) return;
  const auto c = static_cast<std::uint32_t>(at % width);
  float number = 0;
  if (concatenates) {
    number = sums[at];
  } else {
    const float* row = sums + at / width * heads * out;
    for (std::uint32_t k = 0; k < heads; ++k) {
      number = fmaf(1.0F / static_cast<float>(heads), row[k * out + c], number);
    }
  }
  to[at] = bias == nullptr ? number : number + bias[c];
}
/// Backward pass of join_heads(): from dy [targets, width] to dsums [targets, heads, out]; one
/// thread per number.
FRUGAL_KERNEL split_heads(std::uint32_t targets, std::uint32_t heads, std::uint32_t out,
                          bool concatenates, const float* dy, float* dsums) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint32_t all = heads * out;
  if (at >= std::uint64_t{targets} * all) return;
  const std::uint64_t t = at / all;
  const auto c = static_cast<std::uint32_t>(at % all);
  dsums[at] = concatenates ? dy[at] : 1.0F / static_cast<float>(heads) * dy[t * out + c % out];
}

/// Gradients of attention: of the logits [places, heads], and sums of these over the edges of each
/// target and of each source.
struct AttentionSums {
  const float* dsums;        ///< [targets, heads, out]
  float* dlogits;            ///< [places, heads]
  float *dtarget, *dsource;  ///< [targets, heads], [sources, heads]
};

/// Computes dlogits and dtarget; one warp per target and head.
FRUGAL_KERNEL attention_logit_gradients(AttentionEdges edges, GraphAttention a, AttentionSums g) {
  const std::uint32_t t = own_row() / a.heads, k = own_row() % a.heads;
  if (t >= edges.targets) return;
  const std::uint32_t begin = edges.begin(t), end = edges.ends[t];
  const std::uint32_t key = a.dropout.row_key(t);
  const float* dsums = g.dsums + (std::uint64_t{t} * a.heads + k) * a.out;
  float mean = 0;
  for (std::uint32_t e = begin; e < end; ++e) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + k;
    const float product = head_product(dsums, a.head(edges.neighbors[e], k), a.out);
    const float d = a.dropout.applied(key, (e - begin) * a.heads + k, product);
    mean = fmaf(a.weights[at], d, mean);
    if (own_lane() == 0) g.dlogits[at] = d;
  }
  __syncwarp();
  float sum = 0;
  for (std::uint32_t e = begin + own_lane(); e < end; e += kLanes) {
    const std::uint64_t at = std::uint64_t{e} * a.heads + k;
    const float slope = attention_logit(edges, a, t, k, e) > 0 ? 1 : kAttentionSlope;
    const float d = a.weights[at] * (g.dlogits[at] - mean) * slope;
    g.dlogits[at] = d;
    sum += d;
  }
  sum = warp_sum(sum);
  if (own_lane() == 0) g.dtarget[std::uint64_t{t} * a.heads + k] = sum;
}

/// Computes dh [sources, heads, out] and g.dsource. by_source, by_target: both halves of the
/// attention vector. One warp per source and head.
FRUGAL_KERNEL attention_source_gradients(AttentionEdges edges, EdgesBySource by, GraphAttention a,
                                         AttentionSums g, const float* by_source,
                                         const float* by_target, float* dh) {
  const std::uint32_t s = own_row() / a.heads, k = own_row() % a.heads;
  if (s >= edges.sources) return;
  const std::uint32_t begin = by.offsets[s], end = by.offsets[s + 1];
  const std::uint64_t row = std::uint64_t{s} * a.heads + k;
  float dsource = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    dsource += g.dlogits[std::uint64_t{by.edges[i]} * a.heads + k];
  }
  if (own_lane() == 0) g.dsource[row] = dsource;
  const float dtarget = s < edges.targets ? g.dtarget[row] : 0;
  for (std::uint32_t c = own_lane(); c < a.out; c += kLanes) {
    float sum = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t e = by.edges[i];
      const std::uint64_t t = by.owners[e];
      sum =
          fmaf(a.kept[std::uint64_t{e} * a.heads + k], g.dsums[(t * a.heads + k) * a.out + c], sum);
    }
    sum = fmaf(dsource, by_source[k * a.out + c], sum);
    dh[row * a.out + c] = fmaf(dtarget, by_target[k * a.out + c], sum);
  }
}

}  // namespace frugal::cuda
