#pragma once
/// Losses of gnn-sample's gnn_loss.h: one class per node, several labels per node, links.
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/kernels/interactions.h"
#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

/// Logits [rows, columns], which are not changed, and their gradient of the same shape. Each row's
/// loss times `weight` goes to losses [rows]; its gradient is multiplied by `share`.
struct NodeLoss {
  std::uint32_t rows, columns;
  const float* logits;
  float* gradient;
  double* losses;
  double weight;
  float share;
};

/// Softmax cross-entropy. labels: [rows], below 0: none. One warp per row.
FRUGAL_KERNEL class_losses(NodeLoss l, const std::int32_t* labels) {
  const std::uint32_t r = own_row();
  if (r >= l.rows) return;
  const float* z = l.logits + std::uint64_t{r} * l.columns;
  float* d = l.gradient + std::uint64_t{r} * l.columns;
  const std::int32_t label = labels[r];
  float most = -INFINITY;
  for (std::uint32_t c = own_lane(); c < l.columns; c += kLanes) {
    if (z[c] > most) most = z[c];
  }
  most = warp_most(most);
  float sum = 0;
  for (std::uint32_t c = own_lane(); c < l.columns; c += kLanes) sum += expf(z[c] - most);
  sum = warp_sum(sum);
  const float factor = label < 0 ? 0 : l.share / sum;
  for (std::uint32_t c = own_lane(); c < l.columns; c += kLanes) {
    const bool own = label >= 0 && c == static_cast<std::uint32_t>(label);
    d[c] = label < 0 ? 0 : factor * expf(z[c] - most) - (own ? l.share : 0);
  }
  if (own_lane() != 0) return;
  const double loss = label < 0 ? 0
                                : static_cast<double>(most) + log(static_cast<double>(sum)) -
                                      static_cast<double>(z[label]);
  l.losses[r] = l.weight * loss;
}

/// Logistic loss of each column. labels: [rows, columns], 1 or 0. One warp per row.
FRUGAL_KERNEL label_losses(NodeLoss l, const std::uint8_t* labels) {
  const std::uint32_t r = own_row();
  if (r >= l.rows) return;
  float sum = 0;
  for (std::uint32_t c = own_lane(); c < l.columns; c += kLanes) {
    const std::uint64_t at = std::uint64_t{r} * l.columns + c;
    const float z = l.logits[at], label = labels[at] != 0 ? 1 : 0;
    const float small = expf(-fabsf(z));
    sum += (z > 0 ? z : 0) - label * z + log1pf(small);
    const float chance = z > 0 ? 1 / (1 + small) : small / (1 + small);
    l.gradient[at] = l.share * (chance - label);
  }
  sum = warp_sum(sum);
  if (own_lane() == 0) l.losses[r] = l.weight * static_cast<double>(sum);
}

/// Pairs of rows, the links first, then negative pairs. sides: [2, pairs] sources, then targets.
/// Row r has the entries [offsets[r], offsets[r + 1]): its positions in sides, ascending by pair.
struct RowPairs {
  std::uint32_t pairs, links;
  const std::uint32_t *sides, *offsets, *entries;
};

/// Computes slopes [pairs] and l.losses [pairs] from the dot product of each pair's rows. One warp
/// per pair.
FRUGAL_KERNEL row_pair_losses(NodeLoss l, RowPairs p, float* slopes) {
  const std::uint32_t i = own_row();
  if (i >= p.pairs) return;
  const float* x = l.logits + std::uint64_t{p.sides[i]} * l.columns;
  const float* y = l.logits + std::uint64_t{p.sides[p.pairs + i]} * l.columns;
  float product = 0;
  for (std::uint32_t c = own_lane(); c < l.columns; c += kLanes)
    product = fmaf(x[c], y[c], product);
  const double z = static_cast<double>(warp_sum(product));
  if (own_lane() != 0) return;
  const double sign = i < p.links ? -1 : 1;
  const double loss = log1p(exp(-fabs(z))) + (sign * z > 0 ? sign * z : 0);
  l.losses[i] = l.weight * loss;
  slopes[i] = static_cast<float>(sign * static_cast<double>(l.share) / (1 + exp(-sign * z)));
}

/// Computes l.gradient; one warp per row.
FRUGAL_KERNEL pair_gradients(NodeLoss l, RowPairs p, const float* slopes) {
  const std::uint32_t r = own_row();
  if (r >= l.rows) return;
  for (std::uint32_t c = own_lane(); c < l.columns; c += kLanes) {
    float sum = 0;
    for (std::uint32_t i = p.offsets[r]; i < p.offsets[r + 1]; ++i) {
      const std::uint32_t side = p.entries[i];
      const std::uint32_t pair = side < p.pairs ? side : side - p.pairs;
      const std::uint32_t other = p.sides[side < p.pairs ? side + p.pairs : pair];
      sum = fmaf(slopes[pair], l.logits[std::uint64_t{other} * l.columns + c], sum);
    }
    l.gradient[std::uint64_t{r} * l.columns + c] = sum;
  }
}

}  // namespace frugal::cuda
