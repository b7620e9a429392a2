// The hyperbolic tangent, and the gates of recurrent units.
#pragma once
#include "libcore/kernels/bodies/products/dense.inl"
#include "libcore/kernels/bodies/times.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

/// exp(x) = power + power * fraction, with power = 2^n and fraction in [-0.3, 0.42]; x in [-87,
/// 88].
struct PowerOfE {
  Vec power, fraction;
};

/// fraction = exp(r) - 1 with r as in exp(): minimax polynomial, relative error 1.1e-8.
inline PowerOfE power_of_e(Vec x) {
  const Vec round = splat(0x1.8p23f);
  const Vec shifted = x * 0x1.715476p0f + round;
  const Vec whole = shifted - round;
  const Vec r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Vec p = splat(0.0013948595675067395f);
  for (const float c : {0.008369157931858957f, 0.041666240491098315f, 0.16666505168531803f,
                        0.5000000080868257f, 1.0f}) {
    p = p * r + c;
  }
  // The integer is in the low bits of `shifted`.
  const UVec power = (reinterpret_cast<UVec>(shifted) + 127u) << 23;
  return {reinterpret_cast<Vec>(power), p * r};
}

/// Right to 2e-7 of the result down to exp(-87); below, it stays there.
inline Vec gate(Vec x) {
  x = select(x < -87.0f, splat(-87.0f), x);
  x = select(x > 87.0f, splat(87.0f), x);
  const PowerOfE e = power_of_e(-x);
  return 1.0f / (1.0f + (e.power + e.power * e.fraction));
}

/// With u = exp(-2 |x|) - 1, which is exact near 0, |tanh x| = -u / (2 + u).
inline Vec tanh(Vec x) {
  Vec twice = -2.0f * magnitude(x);
  twice = select(twice < -40.0f, splat(-40.0f), twice);
  const PowerOfE e = power_of_e(twice);
  const Vec u = (e.power - 1.0f) + e.power * e.fraction;
  return with_sign_of(magnitude(u / (2.0f + u)), x);
}

void tanh(float* x, std::size_t n) {
  for_each_vec(n,
               [=](std::size_t i, const auto& part) { part.store(x + i, tanh(part.load(x + i))); });
}

void tanh_backward(const float* y, float* dy, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, const auto& part) {
    const Vec v = part.load(y + i);
    part.store(dy + i, part.load(dy + i) * (1.0f - v * v));
  });
}

void gru_forward(const GruGates& gates, float* out, std::size_t out_stride) {
  const GruGates g = gates;
  for (std::size_t row = 0; row < g.rows; ++row) {
    float *r = g.rz + row * g.rz_stride, *z = r + g.dim, *n = g.nx + row * g.nx_stride;
    const float *nh = g.nh + row * g.nh_stride, *h = g.h + row * g.h_stride;
    float* to = out + row * out_stride;
    for_each_vec(g.dim, [=](std::size_t i, const auto& part) {
      const Vec reset = gate(part.load(r + i)), update = gate(part.load(z + i));
      const Vec fresh = tanh(part.load(n + i) + reset * part.load(nh + i));
      part.store(r + i, reset);
      part.store(z + i, update);
      part.store(n + i, fresh);
      part.store(to + i, fresh + update * (part.load(h + i) - fresh));
    });
  }
}

void gru_backward(const GruGates& gates, const float* dout, std::size_t dout_stride, float* dh,
                  std::size_t dh_stride) {
  const GruGates g = gates;
  for (std::size_t row = 0; row < g.rows; ++row) {
    float *r = g.rz + row * g.rz_stride, *z = r + g.dim, *n = g.nx + row * g.nx_stride;
    float* nh = g.nh + row * g.nh_stride;
    const float *h = g.h + row * g.h_stride, *from = dout + row * dout_stride;
    float* direct = dh == nullptr ? nullptr : dh + row * dh_stride;
    for_each_vec(g.dim, [=](std::size_t i, const auto& part) {
      const Vec reset = part.load(r + i), update = part.load(z + i), fresh = part.load(n + i);
      const Vec d = part.load(from + i);
      const Vec by_nx = d * (1.0f - update) * (1.0f - fresh * fresh);
      part.store(z + i, d * (part.load(h + i) - fresh) * update * (1.0f - update));
      part.store(r + i, by_nx * part.load(nh + i) * reset * (1.0f - reset));
      part.store(n + i, by_nx);
      part.store(nh + i, by_nx * reset);
      if (direct != nullptr) part.store(direct + i, part.load(direct + i) + update * d);
    });
  }
}

}  // namespace
}  // namespace frugal
