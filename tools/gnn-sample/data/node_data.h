#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/embedding/embedding.h"
#include "libcore/tensors/tensor.h"
#include "tools/gnn-sample/data/feature_columns.h"
#include "tools/gnn-sample/data/graph_content.h"
#include "tools/gnn-sample/data/sparse_rows.h"

namespace frugal::gnn {

/// Labels of nodes, while they are read.
struct NodeLabels {
  std::vector<std::int32_t> classes;  ///< [nodes], -1 = none; or empty
  std::vector<std::uint8_t> matrix;   ///< [nodes, num_classes]; or empty
  std::size_t num_classes = 0;
  std::vector<std::string>
      class_names;            ///< of the classes, if they have some; ascending if a node has one
  std::vector<float> values;  ///< [nodes] numbers to predict, NaN = none; or empty

  bool empty() const { return classes.empty() && matrix.empty() && values.empty(); }
  std::size_t rows() const {
    if (!matrix.empty()) return matrix.size() / num_classes;
    return values.empty() ? classes.size() : values.size();
  }
  /// True if the row has a label.
  bool has(std::size_t row) const {
    return values.empty() ? classes.empty() || classes[row] >= 0 : !std::isnan(values[row]);
  }
};

/// Features, labels and splits of nodes from input files, owned.
struct NodeData {
  Tensor features;  ///< [nodes, dim], F32 until convert_features(); no shape without dense features
  SparseRows sparse;                     ///< sparse features, likewise F32; dim 0 without
  Array<float> scales;                   ///< scales of I8 features
  std::unique_ptr<Embedding> array;      ///< array that features are looked up in; or null
  FeatureColumns columns;                ///< that features were made from; or none
  bool standardized_columns = false;     ///< `columns` have the scales that standardized features
  std::vector<std::string> table_names;  ///< of the columns of the features' text, if it has names
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
