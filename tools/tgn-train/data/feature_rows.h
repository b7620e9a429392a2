#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "libcore/tensors/tensor.h"
#include "tools/tgn-train/data/feature_scaling.h"

namespace frugal::tgn {

/// Reads rows of features, F32 [rows, features], from a NumPy file (*.npy, or *.npz with one
/// array), a tensor file, or text with a line of numbers between commas, tabs or blanks. All must
/// be finite. Fails (bad_input) with the path and the row.
Tensor read_feature_file(const std::string& path);

/// True if all numbers are 0.
bool is_all_zero(const Tensor& features);

/// True if features may be stored as this type.
inline bool holds_features(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16;
}

/// View of rows of numbers, [rows, dim], of type f32, f16 or bf16. If the rows are of events with
/// edge types, a column for each type follows: 1 for the type of the row, 0 for the others. A layer
/// thus learns a vector for each type.
struct FeatureRows {
  Dtype dtype = Dtype::f32;
  const std::byte* data = nullptr;
  std::size_t rows = 0, dim = 0;
  const FeatureScaling* scaling = nullptr;  ///< scaling applied by read(); null: none
  const std::uint16_t* types = nullptr;     ///< [rows] type of each row, below num_types
  std::size_t num_types = 0;                ///< 0: rows have no types

  /// Numbers that read() writes.
  std::size_t width() const { return dim + num_types; }
  bool empty() const { return width() == 0; }
  /// The stored numbers alone.
  FeatureRows without_types() const { return {dtype, data, rows, dim, scaling}; }
  std::size_t row_bytes() const { return dim * item_size(dtype); }
  void prefetch(std::size_t r) const {
    const std::byte* row = data + r * row_bytes();
    for (std::size_t i = 0; i < row_bytes(); i += 64) __builtin_prefetch(row + i);
    if (num_types != 0) __builtin_prefetch(types + r);
  }
  bool is_scaled() const { return scaling != nullptr && !scaling->empty(); }
  /// Writes row r, scaled, to out, [width()].
  void read(std::size_t r, float* out) const;
  /// True if all numbers of row r are finite.
  bool is_finite(std::size_t r) const;
};

/// Converts n numbers to dtype, rounded to nearest, and writes them to `to`.
void store_features(const float* from, std::size_t n, Dtype dtype, std::byte* to);

}  // namespace frugal::tgn
