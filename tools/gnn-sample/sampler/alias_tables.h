#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "libcore/kernels/alias_list.h"

namespace frugal::gnn {

/// Rows of weighted edges, from which one draw takes constant time: the alias method, 8 bytes an
/// edge, of which most draws read 4. Probabilities are right to 2^-32.
class AliasTables {
 public:
  /// weights: [edges], finite, none negative. Rows are built on all threads.
  AliasTables(const CsrView& graph, std::span<const float> weights);

  /// The number of a node's edges, of which it has `degree`, whose weight is above 0.
  std::uint32_t num_drawable(NodeId node, std::uint32_t degree) const {
    return drawable_.empty() ? degree : drawable_[node];
  }

  /// The row of `size` edges from `begin` on.
  AliasList row(EdgeId begin, std::uint32_t size) const {
    return {high_.data() + begin, low_.data() + begin, size};
  }

  /// num_drawable() of each node, or nothing where it is the degree.
  std::span<const std::uint32_t> drawable() const { return drawable_; }

 private:
  void build_row(std::span<const float> weights, EdgeId begin);
  /// share: probability of the edge itself at its place, times 2^32.
  void set(EdgeId edge, std::uint32_t share, std::uint32_t other) {
    high_[edge] = (share & 0xffff0000) | (other & 0xffff);
    low_[edge] = share << 16 | other >> 16;
  }

  Array<std::uint32_t> high_, low_;      ///< as in AliasList
  std::vector<std::uint32_t> drawable_;  ///< of each node, where some weight is 0
};

}  // namespace frugal::gnn
