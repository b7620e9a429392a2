#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// Synthetic features of nodes with planted classes: the centre of the class, a vector of length
/// `separation` in a random direction, plus standard normal noise. A row is a function of seed,
/// node and class.
class ClassFeatures {
 public:
  ClassFeatures(std::uint64_t classes, std::size_t dim, double separation, std::uint64_t seed);

  std::size_t dim() const { return dim_; }
  /// Writes the features of `node`; row: [dim].
  void fill(NodeId node, std::uint64_t node_class, std::span<float> row) const;
  /// Accuracy of the best classifier that sees only a node's own features, with equally frequent
  /// classes: the nearest centre, measured on 4096 random rows.
  double best_accuracy() const;

 private:
  std::uint64_t nearest(std::span<const float> row) const;

  std::uint64_t classes_, seed_;
  std::size_t dim_;
  Array<float> centers_;  ///< [classes, dim]
};

}  // namespace frugal
