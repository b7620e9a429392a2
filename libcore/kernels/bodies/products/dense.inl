// Vectors of floats: products, sums, activations.
#pragma once
#include <cmath>

#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

float dot(const float* x, const float* y, std::size_t n) {
  return static_cast<float>(
      sum_of(n, [=](std::size_t i, auto part) { return part.load(x + i) * part.load(y + i); }));
}

double sum_of_squares(const float* x, std::size_t n) {
  return sum_of(n, [=](std::size_t i, auto part) {
    const Vec v = part.load(x + i);
    return v * v;
  });
}

float squared_norm(const float* x, std::size_t n) {
  return static_cast<float>(sum_of_squares(x, n));
}

void axpy(float a, const float* x, float* y, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, auto part) {
    part.store(y + i, part.load(y + i) + a * part.load(x + i));
  });
}

void scale(float a, float* x, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, auto part) { part.store(x + i, a * part.load(x + i)); });
}

float max(const float* x, std::size_t n) {
  Vec m0 = splat(-__builtin_inff()), m1 = m0;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    m0 = larger(load(x + i), m0);
    m1 = larger(load(x + i + kLanes), m1);
  }
  for_each_vec(n - i, [&](std::size_t j, auto part) {
    m0 = larger(part.keep(part.load(x + i + j), -__builtin_inff()), m0);
  });
  return max(larger(m0, m1));
}

/// exp(x) = 2^n exp(r) with r in [-ln 2 / 2, ln 2 / 2], exp(r) by its Taylor polynomial of degree 7
/// (truncation 5e-9). 2^n in two factors, so that results near the ends of the range come out
/// right.
inline Vec exp(Vec x) {
  const Vec low = splat(-104.0f), high = splat(89.0f);  // beyond: 0 and infinity
  x = select(x < low, low, x);
  x = select(x > high, high, x);
  const Vec round = splat(0x1.8p23f);  // adding it leaves the nearest integer in the low bits
  const Vec shifted = x * 0x1.715476p0f + round;
  const IVec n = reinterpret_cast<IVec>(shifted) - reinterpret_cast<IVec>(round);
  const Vec whole = shifted - round;
  // ln 2 in two parts; whole times the first is exact.
  const Vec r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Vec p = splat(1.0f / 5040);
  for (const float c : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f}) {
    p = p * r + c;
  }
  const IVec half = n >> 1;
  const auto power = [](IVec e) {
    return reinterpret_cast<Vec>(reinterpret_cast<UVec>(e + 127) << 23);
  };
  return p * power(half) * power(n - half);
}

double exp_sum_double(float* x, float shift, std::size_t n) {
  return sum_of(n, [=](std::size_t i, auto part) {
    const Vec e = exp(part.load(x + i) - shift);
    part.store(x + i, e);
    return part.keep(e, 0);
  });
}

float exp_sum(float* x, float shift, std::size_t n) {
  return static_cast<float>(exp_sum_double(x, shift, n));
}

float softmax(float* x, std::size_t n) {
  if (n == 0) return -__builtin_inff();
  const float shift = max(x, n);
  const double total = exp_sum_double(x, shift, n);
  scale(static_cast<float>(1 / total), x, n);
  return static_cast<float>(static_cast<double>(shift) + __builtin_log(total));
}

void sigmoid(float* x, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, auto part) {
    part.store(x + i, 1.0f / (1.0f + exp(-part.load(x + i))));
  });
}

/// log(1 + u) for u in [0, 1] is 2 artanh(t) with t = u / (2 + u) <= 1/3: its series to t^13 (rest
/// below 1e-8).
inline Vec log1p_to_one(Vec u) {
  const Vec t = u / (2.0f + u), square = t * t;
  Vec p = splat(2.0f / 13);
  for (const float c : {2.0f / 11, 2.0f / 9, 2.0f / 7, 2.0f / 5, 2.0f / 3, 2.0f})
    p = p * square + c;
  return p * t;
}

float logistic(float* x, const float* weights, std::size_t n) {
  return static_cast<float>(sum_of(n, [=](std::size_t i, auto part) {
    const Vec v = part.load(x + i);
    const Vec weight = weights == nullptr ? splat(1.0f) : part.load(weights + i);
    const Vec u = exp(select(v < 0.0f, v, -v));
    const Vec larger_share = 1.0f / (1.0f + u);
    part.store(x + i, weight * select(v < 0.0f, u * larger_share, larger_share));
    return part.keep(weight * (larger(v, Vec{}) + log1p_to_one(u)), 0);
  }));
}

void relu(float* x, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, auto part) {
    const Vec v = part.load(x + i);
    part.store(x + i, select(v < 0.0f, Vec{}, v));
  });
}

void relu_backward(const float* y, float* dy, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, auto part) {
    part.store(dy + i, select(part.load(y + i) > 0.0f, part.load(dy + i), Vec{}));
  });
}

bool all_finite(const float* x, std::size_t n) {
  // v * 0 is 0 where v is finite, else NaN, and NaN stays in the sum.
  Vec s0{}, s1{};
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    s0 += load(x + i) * 0.0f;
    s1 += load(x + i + kLanes) * 0.0f;
  }
  for_each_vec(n - i, [&](std::size_t j, auto part) { s0 += part.load(x + i + j) * 0.0f; });
  return !any((s0 + s1) != 0.0f);
}

std::size_t select_at_least(const float* x, std::size_t n, float threshold,
                            std::uint32_t* indices) {
  std::size_t count = 0, i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const IVec hit = load(x + i) >= threshold;
    if (!any(hit)) continue;  // thresholds select few: 2 vectors a cycle where none hits
    for (std::size_t j = 0; j < kLanes; ++j) {
      indices[count] = static_cast<std::uint32_t>(i + j);
      count += hit[j] != 0;
    }
  }
  for (; i < n; ++i) {
    if (x[i] >= threshold) indices[count++] = static_cast<std::uint32_t>(i);
  }
  return count;
}

}  // namespace
}  // namespace frugal
