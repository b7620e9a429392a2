#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/io/tensor.h"
#include "tools/gnn-sample/data/graph_content.h"

namespace frugal {

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
  Array<float> scales;  ///< with I8 features
  NodeLabels labels;
  std::vector<std::vector<std::uint8_t>> splits;  ///< each [nodes], of Part

  bool has_features() const { return features.shape.size() == 2; }
};

}  // namespace frugal
