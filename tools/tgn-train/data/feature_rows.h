#pragma once
#include <cstddef>
#include <string>

#include "libcore/tensors/tensor.h"
#include "tools/tgn-train/data/feature_scaling.h"

namespace frugal::tgn {

/// Rows of features from a file of numpy (*.npy, *.npz with one array) or of tensors, or a line of
/// numbers each between commas, tabs or blanks: F32 [rows, features], all finite. Fails (bad_input)
/// with the path and the row.
Tensor read_feature_file(const std::string& path);

/// Whether all numbers are 0, which then say nothing.
bool is_all_zero(const Tensor& features);

/// Whether features may be stored as this type.
inline bool holds_features(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16;
}

/// Rows of numbers where they lie: [rows, dim], of type f32, f16 or bf16.
struct FeatureRows {
  Dtype dtype = Dtype::f32;
  const std::byte* data = nullptr;
  std::size_t rows = 0, dim = 0;
  const FeatureScaling* scaling = nullptr;  ///< of what read() gives; null: none

  bool empty() const { return dim == 0; }
  std::size_t row_bytes() const { return dim * item_size(dtype); }
  void prefetch(std::size_t r) const {
    const std::byte* row = data + r * row_bytes();
    for (std::size_t i = 0; i < row_bytes(); i += 64) __builtin_prefetch(row + i);
  }
  bool is_scaled() const { return scaling != nullptr && !scaling->empty(); }
  /// out[0, dim) = row r, scaled.
  void read(std::size_t r, float* out) const;
  /// Whether all numbers of row r are finite.
  bool is_finite(std::size_t r) const;
};

/// to[0, bytes of n numbers) = from[0, n) as dtype, rounded to nearest.
void store_features(const float* from, std::size_t n, Dtype dtype, std::byte* to);

}  // namespace frugal::tgn
