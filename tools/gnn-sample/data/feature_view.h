#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/tensors/tensor.h"

namespace frugal {
class Embedding;
}  // namespace frugal

namespace frugal::gnn {

/// Features of all nodes where they lie, in memory or in a mapped file: [nodes, dim], row-major. Or
/// sparse: the numbers that are not 0 and their columns, row by row. Or found by hashing: there are
/// no rows then but those that somebody looks up (RowSlicer).
struct FeatureView {
  Dtype dtype = Dtype::f32;         ///< f32, f16, bf16 or i8, which is not sparse
  const std::byte* data = nullptr;  ///< sparse: null where all are 1, of type f32
  std::size_t rows = 0, dim = 0;
  std::span<const float> scales;  ///< i8: [rows] what the numbers of each row are multiplied with
  const std::uint64_t* offsets = nullptr;  ///< sparse: [rows + 1] where rows begin, from 0
  const std::uint32_t* columns = nullptr;  ///< sparse: below dim, ascending in each row
  const Embedding* array = nullptr;        ///< or: its first table has the rows, as f32
  bool in_file = false;                    ///< `data` is in a mapped file

  bool sparse() const { return offsets != nullptr; }
  /// Numbers that are stored.
  std::uint64_t size() const { return sparse() ? offsets[rows] : std::uint64_t{rows} * dim; }
  /// Mean number of numbers that are stored for a row.
  double mean_row_size() const {
    return rows == 0 ? 0 : static_cast<double>(size()) / static_cast<double>(rows);
  }
  /// Bytes at `data`.
  std::uint64_t data_bytes() const { return data == nullptr ? 0 : size() * item_size(dtype); }

  // Where rows are not sparse:
  std::size_t row_bytes() const { return dim * item_size(dtype); }
  const std::byte* row(std::size_t r) const { return data + r * row_bytes(); }
  /// Starts reading the rows of these nodes, if they are in a file and not in memory yet. The disk
  /// then works on all of them at once, not on one after the other.
  void read_ahead(std::span<const std::uint32_t> nodes) const;

  // Where they are:
  std::size_t row_size(std::size_t r) const {
    return static_cast<std::size_t>(offsets[r + 1] - offsets[r]);
  }
  std::span<const std::uint32_t> row_columns(std::size_t r) const {
    return {columns + offsets[r], row_size(r)};
  }
  /// The stored numbers as floats, in place or in `room`; null where all are 1.
  const float* row_values(std::size_t r, std::vector<float>& room) const;
};

/// Fails (bad_input) with `path` and the first node whose features are not all finite. import makes
/// no such graph, other programs may. Reads all features once, on all threads.
void check_finite(const FeatureView& features, const std::string& path);

}  // namespace frugal::gnn
