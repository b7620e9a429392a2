#pragma once
/// Pairs of a link decoder (tools/tgn-train/network/link_decoder.h): pair 2 i is event i's source
/// with its destination, pair 2 i + 1 with one that it did not have.
#include <cstdint>

#include "libcore/device/cuda/launcher.h"

namespace frugal::cuda {

/// hidden [pairs, dim] = ReLU(sources [events, dim] of the pair's event + others [pairs, dim]).
FRUGAL_KERNEL join_pairs(const std::uint32_t* pairs, std::uint32_t dim, const float* sources,
                         const float* others, float* hidden) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t pair = at / dim;
  if (pair >= *pairs) return;
  const float x = sources[pair / 2 * dim + at % dim] + others[at];
  hidden[at] = x > 0 ? x : 0;
}

/// dsources [events, dim] = the sum of both pairs' dothers.
FRUGAL_KERNEL add_pairs(const std::uint32_t* events, std::uint32_t dim, const float* dothers,
                        float* dsources) {
  const std::uint64_t at = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t event = at / dim;
  if (event >= *events) return;
  const float* first = dothers + 2 * event * dim + at % dim;
  dsources[at] = first[0] + first[dim];
}

/// The cross-entropy of both pairs of an event, [events], and the gradient of the mean's logits.
FRUGAL_KERNEL pair_losses(const std::uint32_t* events, const float* logits, double* losses,
                          float* dlogits) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= *events) return;
  const float share = 1.0F / static_cast<float>(*events);
  double loss = 0;
  for (std::uint32_t p = 0; p < 2; ++p) {
    const float logit = logits[2 * i + p];
    const double z = p == 0 ? -logit : logit;
    loss += (z > 0 ? z : 0.0) + log1p(exp(z > 0 ? -z : z));
    dlogits[2 * i + p] = share * (1.0F / (1.0F + expf(-logit)) - (p == 0 ? 1.0F : 0.0F));
  }
  losses[i] = loss;
}

}  // namespace frugal::cuda
