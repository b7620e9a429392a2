#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/embedding/embedding.h"
#include "libcore/tensors/tensor.h"
#include "tools/gnn-sample/data/graph_content.h"
#include "tools/gnn-sample/data/sparse_rows.h"

namespace frugal::gnn {

/// Labels of nodes while they are read.
struct NodeLabels {
  std::vector<std::int32_t> classes;  ///< [nodes], -1 = none; or empty
  std::vector<std::uint8_t> matrix;   ///< [nodes, num_classes]; or empty
  std::size_t num_classes = 0;
  std::vector<std::string> class_names;  ///< where classes are names, in ascending order

  bool empty() const { return classes.empty() && matrix.empty(); }
  std::size_t rows() const { return matrix.empty() ? classes.size() : matrix.size() / num_classes; }
};

/// What inputs say about nodes, owned.
struct NodeData {
  Tensor features;      ///< [nodes, dim], of F32 until convert_features(); or no shape
  SparseRows sparse;    ///< the features where they are sparse, of F32 so long; or no dim
  Array<float> scales;  ///< with I8 features
  std::unique_ptr<Embedding> array;  ///< the features where they are looked up in it; or null
  NodeLabels labels;
  std::vector<std::vector<std::uint8_t>> splits;  ///< each [nodes], of Part

  bool has_features() const { return features.shape.size() == 2 || sparse.dim != 0 || array; }
  std::uint64_t feature_rows() const {
    if (array) return array->tables().num_rows();
    return sparse.dim != 0 ? sparse.rows() : num_rows(features.shape);
  }
  std::uint64_t feature_dim() const {
    if (array) return array->tables().dim();
    return sparse.dim != 0 ? sparse.dim : has_features() ? features.shape[1] : 0;
  }
};

}  // namespace frugal::gnn
