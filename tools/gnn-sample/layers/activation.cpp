#include "tools/gnn-sample/layers/activation.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/hash.h"
#include "libcore/kernels/kernels.h"
#include "libcore/kernels/mix32.h"
#include "tools/gnn-sample/layers/row_chunks.h"

namespace frugal::gnn {
namespace {

/// Slope of leaky ReLU below 0, as in PyTorch.
constexpr float kSlope = 0.01F;

void leaky_relu(std::span<float> x) {
  for (float& v : x) v = v > 0 ? v : kSlope * v;
}

/// Exponential linear unit: exp(x) - 1 below 0.
void elu(std::span<float> x) {
  const std::span<float> powers = working_rows(1, x.size(), kActivationSlot).row_span(0);
  for (std::size_t i = 0; i < x.size(); ++i) powers[i] = std::min(x[i], 0.0F);
  kernels().exp_sum(powers.data(), 0, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] > 0 ? x[i] : powers[i] - 1;
}

/// Multiplies the gradient by the activation's slope. y: outputs of the activation and of dropout
/// with that scale.
void multiply_slope(ActivationKind kind, std::span<const float> y, float scale,
                    std::span<float> gradient) {
  if (kind == ActivationKind::relu) {
    return kernels().relu_backward(y.data(), gradient.data(), y.size());
  }
  const bool leaky = kind == ActivationKind::leaky_relu;
  const float unscale = 1 / scale;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float below = leaky ? kSlope : unscale * y[i] + 1;
    gradient[i] *= y[i] > 0 ? 1 : below;
  }
}

}  // namespace

Dropout::Dropout(float rate, const GnnPass& pass, std::uint64_t layer) {
  if (!pass.training || rate <= 0) return;
  threshold_ = static_cast<std::uint32_t>(std::min(static_cast<double>(rate) * 0x1p32, 0x1p32 - 1));
  scale_ = 1 / (1 - rate);
  key_ = key_of(pass, layer);
}

std::uint64_t Dropout::key_of(const GnnPass& pass, std::uint64_t layer) {
  return hash_combine(hash_combine(mix64(pass.seed), pass.step), layer);
}

std::uint32_t Dropout::row_key(std::size_t row) const {
  return static_cast<std::uint32_t>(hash_combine(key_, row) >> 32);
}

void Dropout::apply(std::size_t row, std::span<float> values) const {
  if (!active()) return;
  kernels().dropout(values.data(), values.size(), row_key(row), threshold_, scale_);
}

/// Each number is written and then kept or overwritten, as branches would go either way.
std::size_t Dropout::copy_kept(std::size_t row, std::span<const std::uint32_t> columns,
                               const float* values, std::uint32_t* kept_columns,
                               float* kept) const {
  const std::uint32_t key = row_key(row);
  std::size_t n = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    kept_columns[n] = columns[i];
    kept[n] = scale_ * (values == nullptr ? 1 : values[i]);
    n += mix32(key + columns[i] * kMixStep) >= threshold_ ? 1 : 0;
  }
  return n;
}

void activate(ActivationKind kind, const Dropout& dropout, std::size_t first,
              MatrixView<float> rows) {
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::span<float> row = rows.row_span(r);
    switch (kind) {
      case ActivationKind::relu: kernels().relu(row.data(), row.size()); break;
      case ActivationKind::leaky_relu: leaky_relu(row); break;
      case ActivationKind::elu: elu(row); break;
    }
    dropout.apply(first + r, row);
  }
}

void activate_backward(ActivationKind kind, const Dropout& dropout, std::size_t first,
                       MatrixView<const float> outputs, MatrixView<float> gradient) {
  for (std::size_t r = 0; r < gradient.rows; ++r) {
    const std::span<float> row = gradient.row_span(r);
    if (kind == ActivationKind::relu) {
      // Dropped numbers are 0, so relu_backward() cuts them off like negative ones.
      if (dropout.active()) kernels().scale(dropout.scale(), row.data(), row.size());
    } else {
      dropout.apply(first + r, row);
    }
    multiply_slope(kind, outputs.row_span(r), dropout.scale(), row);
  }
}

}  // namespace frugal::gnn
