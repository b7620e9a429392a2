#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/io/tensor.h"

namespace frugal {

/// Features of all nodes where they lie, in memory or in a mapped file: [nodes, dim], row-major.
struct FeatureView {
  Dtype dtype = Dtype::f32;  ///< f32, f16, bf16 or i8
  const std::byte* data = nullptr;
  std::size_t rows = 0, dim = 0;
  std::span<const float> scales;  ///< i8: [rows] what the numbers of each row are multiplied with

  std::size_t row_bytes() const { return dim * item_size(dtype); }
  const std::byte* row(std::size_t r) const { return data + r * row_bytes(); }
};

}  // namespace frugal
