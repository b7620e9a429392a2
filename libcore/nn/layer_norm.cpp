#include "libcore/nn/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

constexpr float kRowEpsilon = 1e-5F;

}  // namespace

LayerNorm::LayerNorm(std::size_t dim) : gamma_(1, dim), beta_(1, dim), ones_(dim, 1.0F) {
  std::fill_n(gamma_.values().data, dim, 1.0F);
  gamma_.changed();
}

/// Writes x less its mean, and returns 1 / sqrt(variance + epsilon). Squares are those of what
/// differs from the mean: squares of large numbers would lose it.
float LayerNorm::centre(const float* x, float* centred) const {
  const float share = 1.0F / static_cast<float>(dim());
  const float mean = kernels().dot(x, ones_.data(), dim()) * share;
  for (std::size_t i = 0; i < dim(); ++i) centred[i] = x[i] - mean;
  return 1 / std::sqrt(kernels().dot(centred, centred, dim()) * share + kRowEpsilon);
}

void LayerNorm::normalize(MatrixView<const float> x, MatrixView<float> y) const {
  const float* __restrict gamma = gamma_.values().data;
  const float* __restrict beta = beta_.values().data;
  for (std::size_t r = 0; r < x.rows; ++r) {
    float* __restrict to = y.row(r);
    const float inverse = centre(x.row(r), to);
    for (std::size_t i = 0; i < y.cols; ++i) to[i] = to[i] * inverse * gamma[i] + beta[i];
  }
}

/// With the normalised row n and g = gamma dy: dx = (g - mean(g) - n mean(g n)) / sqrt(variance +
/// epsilon), the means over the units.
void LayerNorm::backward(std::size_t group, MatrixView<const float> x, MatrixView<float> gradient) {
  thread_local std::vector<float> room;
  room.resize(dim());
  float* __restrict normal = room.data();
  const float* __restrict gamma = gamma_.values().data;
  float* __restrict dgamma = gamma_.gradient(group).data;
  float* __restrict dbeta = beta_.gradient(group).data;
  const float share = 1.0F / static_cast<float>(dim());
  for (std::size_t r = 0; r < x.rows; ++r) {
    float* __restrict dx = gradient.row(r);
    const float inverse = centre(x.row(r), normal);
    for (std::size_t i = 0; i < x.cols; ++i) {
      normal[i] *= inverse;
      dbeta[i] += dx[i];
      dgamma[i] += dx[i] * normal[i];
      dx[i] *= gamma[i];
    }
    const float mean = kernels().dot(dx, ones_.data(), dim()) * share;
    const float slope = kernels().dot(dx, normal, dim()) * share;
    for (std::size_t i = 0; i < x.cols; ++i) {
      dx[i] = inverse * (dx[i] - mean - slope * normal[i]);
    }
  }
}

}  // namespace frugal
