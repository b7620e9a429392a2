#pragma once
#include <vector>

#include "libcore/graph/csr.h"

namespace frugal::gnn {

/// Scores pairs of nodes of one type by their common neighbours: the sum of 1 / log(degree) over
/// these (Adamic and Adar, "Friends and neighbors on the Web", Social Networks 2003). Repeated
/// edges count once, self loops do not count. Pairs with one source after the other are fast.
class AdamicAdar {
 public:
  /// Borrows the graph, and reads all its edges.
  explicit AdamicAdar(const CsrView& graph);

  float operator()(NodeId source, NodeId target);

 private:
  void take_source(NodeId source);

  CsrView graph_;
  std::vector<float> weights_;          ///< 1 / log(degree) of each node
  std::vector<std::uint32_t> marks_;    ///< of neighbours of the source: the number of that source
  std::vector<std::uint32_t> counted_;  ///< of neighbours of the target: the number of that pair
  std::uint32_t num_sources_ = 0, num_pairs_ = 0;
  NodeId source_ = 0;
};

}  // namespace frugal::gnn
