// Optimiser steps. Adagrad: Duchi, Hazan, Singer, JMLR 2011. Adam: Kingma, Ba, ICLR 2015, algorithm
// 1 in the order of its section 2, last paragraph.
#pragma once
#include "libcore/kernels/bodies/convert.inl"
#include "libcore/kernels/bodies/dense.inl"
#include "libcore/kernels/bodies/segments.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

void adagrad(float* w, float* h, const float* g, std::size_t n, float lr, float eps) {
  for_each_vec(n, [=](std::size_t i, auto part) {
    const Vec gradient = part.load(g + i);
    const Vec history = part.load(h + i) + gradient * gradient;
    part.store(h + i, history);
    // Unused lanes divide 0 by eps, which may be 0: nobody reads them.
    part.store(w + i, part.load(w + i) - lr * gradient / (sqrt(history) + eps));
  });
}

void adagrad_row(float* w, float* h, const float* g, std::size_t n, float lr, float eps) {
  if (n == 0) return;
  *h += static_cast<float>(sum_of_squares(g, n) / static_cast<double>(n));
  axpy(-lr / (__builtin_sqrtf(*h) + eps), g, w, n);
}

void adam(float* w, float* m, float* v, const float* g, std::size_t n, float lr, float beta1,
          float beta2, float eps) {
  for_each_vec(n, [=](std::size_t i, auto part) {
    const Vec gradient = part.load(g + i);
    const Vec first = beta1 * part.load(m + i) + (1 - beta1) * gradient;
    const Vec second = beta2 * part.load(v + i) + (1 - beta2) * gradient * gradient;
    part.store(m + i, first);
    part.store(v + i, second);
    part.store(w + i, part.load(w + i) - lr * first / (sqrt(second) + eps));
  });
}

void adam_bf16(float* w, BFloat16* m, BFloat16* v, const float* g, std::size_t n, float lr,
               float beta1, float beta2, float eps, std::uint32_t key) {
  using Moments = RowReader<RowType::bf16>;
  UVec place{};
  for (std::uint32_t i = 0; i < kLanes; ++i) place[i] = key + i * kMixStep;
  for_each_vec(n, [&](std::size_t i, const auto& part) {
    const Vec gradient = part.load(g + i);
    const Vec first = beta1 * Moments::load(m + i, part) + (1 - beta1) * gradient;
    const Vec second = beta2 * Moments::load(v + i, part) + (1 - beta2) * gradient * gradient;
    part.store(w + i, part.load(w + i) - lr * first / (sqrt(second) + eps));
    const UVec noise = mix32(place);
    store_at_random(m + i, first, noise & 0xffffu, part);
    store_at_random(v + i, second, noise >> 16, part);
    place += static_cast<std::uint32_t>(kLanes) * kMixStep;
  });
}

}  // namespace
}  // namespace frugal
