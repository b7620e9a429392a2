#pragma once
/// Activations and dropout of rows (gnn-sample's activation.h); the same numbers are dropped as
/// there.
#include <cmath>
#include <cstdint>

#include "libcore/device/cuda/kernels/random_bits.h"
#include "libcore/device/cuda/kernels/row_places.h"

namespace frugal::cuda {

struct RowDropout {
  std::uint64_t key;
  std::uint32_t threshold;  ///< 0: no dropout
  float scale;

  FRUGAL_DEVICE std::uint32_t row_key(std::uint64_t row) const {
    return threshold == 0 ? 0 : static_cast<std::uint32_t>(hash_combine(key, row) >> 32);
  }
  /// Scaled x of a column, or 0 if it is dropped.
  FRUGAL_DEVICE float applied(std::uint32_t of_row, std::uint32_t column, float x) const {
    if (threshold == 0) return x;
    return mix32(of_row + column * kMixStep) >= threshold ? scale * x : 0;
  }
};

/// Activations in the order of ActivationKind; none: identity.
enum class RowActivation : int { relu, leaky_relu, elu, none };
inline constexpr float kLeakySlope = 0.01F;

struct RowUnits {
  std::uint32_t rows, columns;
  RowActivation activation;
  RowDropout dropout;
};

/// y [rows, columns] = dropout(activation(x)); x and y may be the same. One warp per row.
FRUGAL_KERNEL activate_rows(RowUnits u, const float* x, float* y) {
  const std::uint32_t r = own_row();
  if (r >= u.rows) return;
  const std::uint32_t key = u.dropout.row_key(r);
  for (std::uint32_t c = own_lane(); c < u.columns; c += kLanes) {
    const std::uint64_t at = std::uint64_t{r} * u.columns + c;
    float number = x[at];
    if (!(number > 0)) {
      switch (u.activation) {
        case RowActivation::relu: number = number < 0 ? 0 : number; break;
        case RowActivation::leaky_relu: number *= kLeakySlope; break;
        case RowActivation::elu: number = expm1f(number); break;
        case RowActivation::none: break;
      }
    }
    y[at] = u.dropout.applied(key, c, number);
  }
}

/// dx [rows, columns] from dy and from the y of activate_rows(); dx and dy may be the same. One
/// warp per row.
FRUGAL_KERNEL activation_gradients(RowUnits u, const float* y, const float* dy, float* dx) {
  const std::uint32_t r = own_row();
  if (r >= u.rows) return;
  const std::uint32_t key = u.dropout.row_key(r);
  const float unscale = u.dropout.threshold == 0 ? 1 : 1 / u.dropout.scale;
  for (std::uint32_t c = own_lane(); c < u.columns; c += kLanes) {
    const std::uint64_t at = std::uint64_t{r} * u.columns + c;
    float slope = 1;
    if (!(y[at] > 0)) {
      slope = u.activation == RowActivation::relu         ? 0
              : u.activation == RowActivation::leaky_relu ? kLeakySlope
              : u.activation == RowActivation::elu        ? unscale * y[at] + 1
                                                          : 1;
    }
    dx[at] = slope * u.dropout.applied(key, c, dy[at]);
  }
}

/// to [rows, columns] = from, or += from with `adds`; each has its own stride. One warp per row.
FRUGAL_KERNEL move_rows(std::uint32_t rows, std::uint32_t columns, bool adds, const float* from,
                        std::uint32_t from_stride, float* to, std::uint32_t to_stride) {
  const std::uint32_t r = own_row();
  if (r >= rows) return;
  for (std::uint32_t c = own_lane(); c < columns; c += kLanes) {
    const float number = from[std::uint64_t{r} * from_stride + c];
    float* place = to + std::uint64_t{r} * to_stride + c;
    *place = adds ? *place + number : number;
  }
}

}  // namespace frugal::cuda
