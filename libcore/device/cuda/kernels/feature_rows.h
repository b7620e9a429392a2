#pragma once
/// Features of nodes as floats, read on the device or from pinned host memory.
#include <cstdint>

#include "libcore/device/cuda/kernels/graph/row_dropout.h"
#include "libcore/device/cuda/kernels/step_values.h"

namespace frugal::cuda {

/// Number type of features; i8 numbers are multiplied by the scale of their row.
enum class FeatureType : int { f32, f16, bf16, i8 };

/// Feature rows of nodes [rows]; null: row r is row r of the table.
struct FeatureRows {
  std::uint32_t rows, dim;
  const std::uint32_t* nodes;
  const void* data;
  const float* scales;  ///< i8: [rows of the table]
  RowDropout dropout;

  FRUGAL_DEVICE std::uint64_t row(std::uint32_t r) const { return nodes == nullptr ? r : nodes[r]; }
};

FRUGAL_DEVICE float float_of_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, exponent = half >> 10 & 31U,
                      mantissa = half & 0x3ffU;
  if (exponent == 31) return __uint_as_float(sign | 0x7f800000U | mantissa << 13);
  if (exponent != 0) return __uint_as_float(sign | (exponent + 112) << 23 | mantissa << 13);
  const float small = static_cast<float>(mantissa) * 5.9604644775390625e-08F;  // 2^-24
  return sign == 0 ? small : -small;
}

template <FeatureType kType>
FRUGAL_DEVICE float feature_at(const void* data, std::uint64_t at) {
  if (kType == FeatureType::f32) return static_cast<const float*>(data)[at];
  if (kType == FeatureType::f16) return float_of_half(static_cast<const std::uint16_t*>(data)[at]);
  if (kType == FeatureType::i8)
    return static_cast<float>(static_cast<const std::int8_t*>(data)[at]);
  return __uint_as_float(std::uint32_t{static_cast<const std::uint16_t*>(data)[at]} << 16);
}

/// out [rows, dim]; one warp per row.
template <FeatureType kType>
FRUGAL_KERNEL feature_rows(FeatureRows f, float* out) {
  const std::uint32_t r = own_row();
  if (r >= f.rows) return;
  const std::uint64_t row = f.row(r);
  const float scale = kType == FeatureType::i8 ? f.scales[row] : 1;
  const std::uint32_t key = f.dropout.row_key(r);
  for (std::uint32_t c = own_lane(); c < f.dim; c += kLanes) {
    float number = feature_at<kType>(f.data, row * f.dim + c);
    if (kType == FeatureType::i8) number *= scale;
    out[std::uint64_t{r} * f.dim + c] = f.dropout.applied(key, c, number);
  }
}

/// Sets the number of samples for the next look-ups; one thread.
FRUGAL_KERNEL count_rows(StepValues* values, std::uint32_t rows) { values->samples = rows; }

/// A sparse table: zeros are not stored.
struct SparseTable {
  const std::uint64_t* offsets;  ///< [rows of the table + 1]
  const std::uint32_t* columns;  ///< ascending in each row
};

/// out [rows, dim]. If f.data is null, all stored numbers are 1. One warp per row.
template <FeatureType kType>
FRUGAL_KERNEL sparse_feature_rows(FeatureRows f, SparseTable table, float* out) {
  const std::uint32_t r = own_row();
  if (r >= f.rows) return;
  const std::uint64_t row = f.row(r);
  const std::uint32_t key = f.dropout.row_key(r);
  float* to = out + std::uint64_t{r} * f.dim;
  for (std::uint32_t c = own_lane(); c < f.dim; c += kLanes) to[c] = 0;
  __syncwarp();
  for (std::uint64_t i = table.offsets[row] + own_lane(); i < table.offsets[row + 1]; i += kLanes) {
    const std::uint32_t c = table.columns[i];
    to[c] = f.dropout.applied(key, c, f.data == nullptr ? 1 : feature_at<kType>(f.data, i));
  }
}

}  // namespace frugal::cuda
