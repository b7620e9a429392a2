#pragma once
/// Pairs of a link decoder (tgn-train's link_decoder.h). Pair 2 i is event i's source with its
/// destination, pair 2 i + 1 with a negative sample.
#include <cstdint>

#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

struct LinkPairs {
  const std::uint32_t* events;
  std::uint32_t dim;
  const float* embeddings;  ///< [3 events, dim] source, destination, other
  const float* second;      ///< [dim + 1] weights and bias of the last layer
  float* sources;           ///< [events, dim] of the first layer, then their gradient
  float* others;            ///< [pairs, dim] likewise
  float* other_rows;        ///< [pairs, dim] input embeddings of `others`
  float* hidden;            ///< [pairs, dim + 1] ReLU(source + other), then 1
  float* dlogits;           ///< [pairs] of the mean loss
  double* losses;           ///< [events] cross-entropy of both pairs
};

/// Logit of pair p, in all lanes; also writes the last layer's input.
FRUGAL_DEVICE float pair_logit(const LinkPairs& l, std::uint64_t p) {
  const std::uint64_t row = p * l.dim;
  float* hidden = l.hidden + row + p;
  float sum = 0;
  for (std::uint32_t c = own_lane(); c < l.dim; c += kLanes) {
    const float x = l.sources[p / 2 * l.dim + c] + l.others[row + c];
    hidden[c] = x > 0 ? x : 0;
    sum = fmaf(hidden[c], l.second[c], sum);
    l.other_rows[row + c] = l.embeddings[(p / 2 * 3 + 1 + p % 2) * l.dim + c];
  }
  if (own_lane() == 0) hidden[l.dim] = 1;
  return warp_sum(sum) + l.second[l.dim];
}

/// Forward and backward pass of the decoder's last layer and its loss; one warp per event. zero:
/// number of events up to which gradients are zero after the last one.
FRUGAL_KERNEL score_pairs(LinkPairs l, std::uint32_t zero) {
  const std::uint32_t event = own_row();
  if (event >= *l.events) {
    for (std::uint32_t c = own_lane(); c < l.dim && event < zero; c += kLanes) {
      for (const std::uint64_t p : {2 * std::uint64_t{event}, 2 * std::uint64_t{event} + 1}) {
        l.others[p * l.dim + c] = 0;
      }
      l.sources[std::uint64_t{event} * l.dim + c] = 0;
    }
    return;
  }
  const float share = 1.0F / static_cast<float>(*l.events);
  float d[2];
  float loss = 0;
  for (std::uint32_t p = 0; p < 2; ++p) {
    const float logit = pair_logit(l, 2 * std::uint64_t{event} + p);
    const float z = p == 0 ? -logit : logit;
    loss += (z > 0 ? z : 0) + log1pf(expf(-fabsf(z)));
    d[p] = share * (1.0F / (1.0F + expf(-logit)) - (p == 0 ? 1.0F : 0.0F));
  }
  const std::uint64_t first = 2 * std::uint64_t{event};
  for (std::uint32_t c = own_lane(); c < l.dim; c += kLanes) {
    float sum = 0;
    for (std::uint32_t p = 0; p < 2; ++p) {
      const float by_other = l.hidden[(first + p) * (l.dim + 1) + c] > 0 ? d[p] * l.second[c] : 0;
      l.others[(first + p) * l.dim + c] = by_other;
      sum += by_other;
    }
    l.sources[std::uint64_t{event} * l.dim + c] = sum;
  }
  if (own_lane() != 0) return;
  l.losses[event] = loss;
  l.dlogits[first] = d[0];
  l.dlogits[first + 1] = d[1];
}

}  // namespace frugal::cuda
