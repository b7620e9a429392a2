#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"

namespace frugal {

/// Features of nodes with planted classes: the centre of the class, a vector of length `separation`
/// in a random direction, plus standard normal noise. A row is a function of seed, node and class.
class ClassFeatures {
 public:
  ClassFeatures(std::uint64_t classes, std::size_t dim, double separation, std::uint64_t seed);

  std::size_t dim() const { return dim_; }
  /// The features of `node`; row: [dim]
  void fill(NodeId node, std::uint64_t node_class, std::span<float> row) const;
  /// How often the best classifier is right that sees a node's features alone, all classes being
  /// equally frequent: the nearest centre's, on 4096 drawn rows.
  double best_accuracy() const;

 private:
  std::uint64_t nearest(std::span<const float> row) const;

  std::uint64_t classes_, seed_;
  std::size_t dim_;
  Array<float> centers_;  ///< [classes, dim]
};

}  // namespace frugal
