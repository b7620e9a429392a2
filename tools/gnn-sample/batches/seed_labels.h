#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/gnn-sample/data/graph_content.h"

namespace frugal::gnn {

/// Labels of the seeds of a mini-batch. Its memory is reused.
struct SeedLabels {
  std::vector<std::int32_t> classes;  ///< [seeds] classes; or
  std::vector<std::uint8_t> rows;     ///< [seeds, classes] 0 or 1; or
  std::vector<float> values;          ///< [seeds] numbers to predict, NaN for none

  /// Sets the labels to those of the seeds, nodes of a set that has labels.
  void assign(const NodeSet& set, std::span<const NodeId> seeds);
};

}  // namespace frugal::gnn
