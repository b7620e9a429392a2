#pragma once
/// Aggregation over a message-flow block (gnn-sample's mini_batch.h): the forward pass collects
/// neighbours' rows for the targets, the backward pass returns gradients to the sources. One warp
/// handles a row, so that sums are added in the order of edges and are bitwise reproducible.
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

/// Edges into the first `targets` of `sources` nodes; target t has the edges [offsets[t], offsets[t
/// + 1]).
struct MessageBlock {
  std::uint32_t targets, sources, edges;
  const std::uint32_t* offsets;    ///< [targets + 1], from 0
  const std::uint32_t* neighbors;  ///< [edges] below sources
};

/// The edges of a block sorted by source.
struct EdgesBySource {
  const std::uint32_t* offsets;  ///< [sources + 1]
  const std::uint32_t* edges;    ///< numbers of edges in the block
  const std::uint32_t* owners;   ///< target of each edge, by the edge's number
};

/// Rows of floats, `stride` numbers apart.
struct FloatRows {
  const float* data;
  std::uint32_t stride, dim;
  FRUGAL_DEVICE float at(std::uint64_t row, std::uint32_t column) const {
    return data[row * stride + column];
  }
};

/// Writes the input of the sort that makes EdgesBySource: keys and numbers [edges], and owners; one
/// warp per target.
FRUGAL_KERNEL list_edges(MessageBlock b, std::uint32_t* keys, std::uint32_t* numbers,
                         std::uint32_t* owners) {
  const std::uint32_t t = own_row();
  if (t >= b.targets) return;
  for (std::uint32_t e = b.offsets[t] + own_lane(); e < b.offsets[t + 1]; e += kLanes) {
    keys[e] = b.neighbors[e];
    numbers[e] = e;
    owners[e] = t;
  }
}

/// offsets [sources + 1] of sorted keys [n]; one thread per offset.
FRUGAL_KERNEL source_offsets(const std::uint32_t* keys, std::uint32_t n, std::uint32_t sources,
                             std::uint32_t* offsets) {
  const std::uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s > sources) return;
  std::uint32_t low = 0, high = n;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (keys[middle] < s) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  offsets[s] = low;
}

FRUGAL_DEVICE float mean_share(const MessageBlock& b, std::uint32_t t) {
  const std::uint32_t degree = b.offsets[t + 1] - b.offsets[t];
  return degree < 2 ? 1 : 1.0F / static_cast<float>(degree);
}

/// out [targets, 2 dim]: each target's own row, and the mean of its neighbours' rows.
FRUGAL_KERNEL mean_inputs(MessageBlock b, FloatRows x, float* out) {
  const std::uint32_t t = own_row();
  if (t >= b.targets) return;
  const std::uint32_t begin = b.offsets[t], end = b.offsets[t + 1];
  const float share = mean_share(b, t);
  float* to = out + std::uint64_t{t} * 2 * x.dim;
  for (std::uint32_t c = own_lane(); c < x.dim; c += kLanes) {
    float sum = 0;
    for (std::uint32_t e = begin; e < end; ++e) sum += x.at(b.neighbors[e], c);
    to[c] = x.at(t, c);
    to[x.dim + c] = share * sum;
  }
}

/// out [targets, 2 dim]: each target's own row, and the maximum of its neighbours' rows (0 without
/// neighbours). edges [targets, dim]: first edge with the maximum, or kNoRow.
FRUGAL_KERNEL largest_inputs(MessageBlock b, FloatRows x, float* out, std::uint32_t* edges) {
  const std::uint32_t t = own_row();
  if (t >= b.targets) return;
  const std::uint32_t begin = b.offsets[t], end = b.offsets[t + 1];
  float* to = out + std::uint64_t{t} * 2 * x.dim;
  for (std::uint32_t c = own_lane(); c < x.dim; c += kLanes) {
    float most = begin == end ? 0 : -INFINITY;
    std::uint32_t from = kNoRow;
    for (std::uint32_t e = begin; e < end; ++e) {
      const float number = x.at(b.neighbors[e], c);
      if (!(number > most)) continue;
      most = number;
      from = e;
    }
    to[c] = x.at(t, c);
    to[x.dim + c] = most;
    edges[std::uint64_t{t} * x.dim + c] = from;
  }
}

/// Computes the gradients of the rows [sources, dim] from those of the inputs [targets, 2 dim].
/// largest: edges of largest_inputs(), or null for means. One warp per source.
FRUGAL_KERNEL pair_input_gradients(MessageBlock b, EdgesBySource by, const float* gradients,
                                   std::uint32_t dim, const std::uint32_t* largest, float* out) {
  const std::uint32_t s = own_row();
  if (s >= b.sources) return;
  const std::uint32_t begin = by.offsets[s], end = by.offsets[s + 1];
  for (std::uint32_t c = own_lane(); c < dim; c += kLanes) {
    float sum = s < b.targets ? gradients[std::uint64_t{s} * 2 * dim + c] : 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t e = by.edges[i], t = by.owners[e];
      const float d = gradients[std::uint64_t{t} * 2 * dim + dim + c];
      if (largest == nullptr) {
        sum += mean_share(b, t) * d;
      } else if (largest[std::uint64_t{t} * dim + c] == e) {
        sum += d;
      }
    }
    out[std::uint64_t{s} * dim + c] = sum;
  }
}

/// Factors of own_t x_t + target_t sum_j source_j x_j. If source is null, it and target are 1, and
/// self loops count; otherwise they do not.
struct SumFactors {
  float *own, *target, *source;  ///< [targets], [targets], [sources]
};

/// Factors of graph convolution with symmetric normalisation. degrees: [sources] in the whole
/// graph. One thread per source.
FRUGAL_KERNEL symmetric_factors(MessageBlock b, const std::uint32_t* degrees, SumFactors f) {
  const std::uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= b.sources) return;
  const auto degree = static_cast<float>(degrees[s]);
  const float source = 1 / sqrtf(degree + 1);
  f.source[s] = source;
  if (s >= b.targets) return;
  std::uint32_t drawn = 0;
  for (std::uint32_t e = b.offsets[s]; e < b.offsets[s + 1]; ++e) drawn += b.neighbors[e] != s;
  f.own[s] = 1 / (degree + 1);
  f.target[s] = source * (drawn > 0 && degree > 0 ? degree / static_cast<float>(drawn) : 1);
}

/// own [targets] = 1 + epsilon.
FRUGAL_KERNEL isomorphism_factors(std::uint32_t targets, const float* epsilon, float* own) {
  const std::uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < targets) own[t] = 1 + *epsilon;
}

/// out [targets, dim] = sums with these factors.
FRUGAL_KERNEL sum_inputs(MessageBlock b, FloatRows x, SumFactors f, float* out) {
  const std::uint32_t t = own_row();
  if (t >= b.targets) return;
  const std::uint32_t begin = b.offsets[t], end = b.offsets[t + 1];
  const float own = f.own[t], target = f.source == nullptr ? 1 : f.target[t];
  for (std::uint32_t c = own_lane(); c < x.dim; c += kLanes) {
    float sum = 0;
    for (std::uint32_t e = begin; e < end; ++e) {
      const std::uint32_t s = b.neighbors[e];
      if (f.source == nullptr) {
        sum += x.at(s, c);
      } else if (s != t) {
        sum = fmaf(target * f.source[s], x.at(s, c), sum);
      }
    }
    out[std::uint64_t{t} * x.dim + c] = fmaf(own, x.at(t, c), sum);
  }
}

/// Computes the gradients of the rows [sources, dim] from those of the sums [targets, dim]. One
/// warp per source.
FRUGAL_KERNEL sum_input_gradients(MessageBlock b, EdgesBySource by, SumFactors f,
                                  const float* gradients, std::uint32_t dim, float* out) {
  const std::uint32_t s = own_row();
  if (s >= b.sources) return;
  const std::uint32_t begin = by.offsets[s], end = by.offsets[s + 1];
  for (std::uint32_t c = own_lane(); c < dim; c += kLanes) {
    float sum = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t t = by.owners[by.edges[i]];
      const float d = gradients[std::uint64_t{t} * dim + c];
      if (f.source == nullptr) {
        sum += d;
      } else if (s != t) {
        sum = fmaf(f.target[t], d, sum);
      }
    }
    if (f.source != nullptr) sum *= f.source[s];
    if (s < b.targets) sum = fmaf(f.own[s], gradients[std::uint64_t{s} * dim + c], sum);
    out[std::uint64_t{s} * dim + c] = sum;
  }
}

/// out [rows] = dot products of the rows of x and y [rows, dim]. One warp per row.
FRUGAL_KERNEL row_products(std::uint32_t rows, FloatRows x, const float* y, float* out) {
  const std::uint32_t r = own_row();
  if (r >= rows) return;
  float sum = 0;
  for (std::uint32_t c = own_lane(); c < x.dim; c += kLanes) {
    sum = fmaf(x.at(r, c), y[std::uint64_t{r} * x.dim + c], sum);
  }
  sum = warp_sum(sum);
  if (own_lane() == 0) out[r] = sum;
}

}  // namespace frugal::cuda
