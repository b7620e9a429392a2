#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/csr.h"
#include "tools/gnn-sample/data/feature_view.h"

namespace frugal::gnn {

/// Most features that a node may have.
inline constexpr std::uint64_t kMostFeatures = std::uint64_t{1} << 24;

/// Sparse features, owned.
struct SparseRows {
  std::size_t dim = 0;
  Dtype dtype = Dtype::f32;                  ///< f32, f16 or bf16
  std::vector<std::uint64_t> offsets = {0};  ///< [rows + 1]
  std::vector<std::uint32_t> columns;
  std::vector<std::byte> values;  ///< of dtype, as many as columns; or none where all are 1

  std::size_t rows() const { return offsets.size() - 1; }
  FeatureView view() const;
  /// The values, which are f32.
  std::span<float> floats() {
    return {reinterpret_cast<float*>(values.data()), values.size() / sizeof(float)};
  }
  std::span<const float> floats() const {
    return {reinterpret_cast<const float*>(values.data()), values.size() / sizeof(float)};
  }

  /// The rows of these nodes, as they are stored, in place of what was here.
  void assign(const FeatureView& from, std::span<const NodeId> nodes);
};

/// Features [rows, dim] of F32, the numbers that are not stored 0; from such: all that are not 0.
/// Fails (unavailable) with `place` where memory is short.
Tensor to_dense(const SparseRows& sparse, const std::string& place);
SparseRows to_sparse(const Tensor& dense);

}  // namespace frugal::gnn
