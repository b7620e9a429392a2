// Layer normalisation, and the activation of MLP-Mixers.
#pragma once
#include "libcore/kernels/bodies/gates.inl"
#include "libcore/kernels/bodies/vec.h"
#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

constexpr float kGeluScale = 1.5957691216057308F;  // 2 sqrt(2 / pi)
constexpr float kGeluCube = 0.044715F;
constexpr float kNormEpsilon = 1e-5F;

void gelu(const float* x, float* y, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, const auto& part) {
    const Vec v = part.load(x + i);
    part.store(y + i, v * gate(kGeluScale * (v + kGeluCube * v * v * v)));
  });
}

void gelu_backward(const float* x, float* dy, std::size_t n) {
  for_each_vec(n, [=](std::size_t i, const auto& part) {
    const Vec v = part.load(x + i), square = v * v;
    const Vec g = gate(kGeluScale * (v + kGeluCube * square * v));
    const Vec slope = kGeluScale * (1.0f + 3.0f * kGeluCube * square);
    part.store(dy + i, part.load(dy + i) * (g + v * g * (1.0f - g) * slope));
  });
}

struct RowMoments {
  float mean = 0, inverse = 0;
};

/// Squares are those of the distances from the mean: squares of large numbers would lose it.
inline RowMoments moments_of(const float* x, std::size_t n) {
  const auto share = 1 / static_cast<float>(n);
  const auto mean = static_cast<float>(
      sum_of(n, [=](std::size_t i, auto part) { return part.keep(part.load(x + i), 0); }));
  const float centre = mean * share;
  const auto squares = static_cast<float>(sum_of(n, [=](std::size_t i, auto part) {
    const Vec v = part.keep(part.load(x + i) - centre, 0);
    return v * v;
  }));
  return {centre, 1 / __builtin_sqrtf(squares * share + kNormEpsilon)};
}

void normalize_row(const RowNorm& norm, float* y) {
  const RowNorm a = norm;
  const RowMoments m = moments_of(a.x, a.n);
  for_each_vec(a.n, [=](std::size_t i, const auto& part) {
    part.store(y + i, (part.load(a.x + i) - m.mean) * m.inverse * part.load(a.gamma + i) +
                          part.load(a.beta + i));
  });
}

/// With the normalised row z and g = gamma dy: dx = (g - mean(g) - z mean(g z)) / deviation.
void normalize_row_backward(const RowNorm& norm, float* dy, float* dgamma, float* dbeta) {
  const RowNorm a = norm;
  const RowMoments m = moments_of(a.x, a.n);
  const auto share = 1 / static_cast<float>(a.n);
  const auto z = [=](std::size_t i, const auto& part) {
    return (part.load(a.x + i) - m.mean) * m.inverse;
  };
  for_each_vec(a.n, [=](std::size_t i, const auto& part) {
    const Vec d = part.load(dy + i);
    part.store(dbeta + i, part.load(dbeta + i) + d);
    part.store(dgamma + i, part.load(dgamma + i) + d * z(i, part));
    part.store(dy + i, d * part.load(a.gamma + i));
  });
  const auto mean =
      static_cast<float>(
          sum_of(a.n, [=](std::size_t i, auto part) { return part.keep(part.load(dy + i), 0); })) *
      share;
  const auto slope =
      static_cast<float>(sum_of(
          a.n,
          [=](std::size_t i, auto part) { return part.keep(part.load(dy + i) * z(i, part), 0); })) *
      share;
  for_each_vec(a.n, [=](std::size_t i, const auto& part) {
    part.store(dy + i, m.inverse * (part.load(dy + i) - mean - slope * z(i, part)));
  });
}

/// Mean and inverse deviation of the columns from `at` on.
struct ColumnMoments {
  Vec mean, inverse;
};
template <class Part>
inline ColumnMoments moments_of(const ColumnNorm& a, std::size_t at, const Part& part) {
  const auto share = 1 / static_cast<float>(a.rows);
  Vec sum{}, squares{};
  for (std::size_t r = 0; r < a.rows; ++r) sum += part.load(a.x + r * a.stride + at);
  const Vec mean = sum * share;
  for (std::size_t r = 0; r < a.rows; ++r) {
    const Vec v = part.load(a.x + r * a.stride + at) - mean;
    squares += v * v;
  }
  return {mean, 1.0f / sqrt(squares * share + kNormEpsilon)};
}

void normalize_columns(const ColumnNorm& norm, float* y) {
  const ColumnNorm a = norm;
  for_each_vec(a.cols, [=](std::size_t i, const auto& part) {
    const ColumnMoments m = moments_of(a, i, part);
    for (std::size_t r = 0; r < a.rows; ++r) {
      const Vec z = (part.load(a.x + r * a.stride + i) - m.mean) * m.inverse;
      part.store(y + r * a.stride + i, z * a.gamma[r] + a.beta[r]);
    }
  });
}

void normalize_columns_backward(const ColumnNorm& norm, float* dy, float* dgamma, float* dbeta) {
  const ColumnNorm a = norm;
  const auto share = 1 / static_cast<float>(a.rows);
  for_each_vec(a.cols, [=](std::size_t i, const auto& part) {
    const ColumnMoments m = moments_of(a, i, part);
    const auto z = [&](std::size_t r) {
      return (part.load(a.x + r * a.stride + i) - m.mean) * m.inverse;
    };
    Vec mean{}, slope{};
    for (std::size_t r = 0; r < a.rows; ++r) {
      const Vec d = part.keep(part.load(dy + r * a.stride + i), 0), normal = z(r);
      dbeta[r] += sum(d);
      dgamma[r] += sum(part.keep(d * normal, 0));
      mean += d * a.gamma[r];
      slope += d * a.gamma[r] * normal;
    }
    mean *= share;
    slope *= share;
    for (std::size_t r = 0; r < a.rows; ++r) {
      const Vec d = part.load(dy + r * a.stride + i);
      part.store(dy + r * a.stride + i, m.inverse * (d * a.gamma[r] - mean - slope * z(r)));
    }
  });
}

}  // namespace
}  // namespace frugal
