#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/rng.h"
#include "libcore/graph/csr.h"

namespace frugal::gnn {

/// One draw from a row of weighted edges in constant time: the alias method, 8 bytes an edge.
/// Probabilities are right to 2^-32.
class AliasTables {
 public:
  /// weights: [edges], finite, none negative. Rows are built on all threads.
  AliasTables(const CsrView& graph, std::span<const float> weights);

  /// The number of a node's edges, of which it has `degree`, whose weight is above 0.
  std::uint32_t num_drawable(NodeId node, std::uint32_t degree) const {
    return drawable_.empty() ? degree : drawable_[node];
  }

  /// A draw whose entry of the table is asked of the memory, but not read yet.
  struct Try {
    std::uint32_t place, coin;  ///< place in the row
  };
  /// Begins a draw from the row of `size` edges at `begin`; size > 0, some weight above 0.
  Try try_draw(EdgeId begin, std::uint32_t size, Rng& rng) const {
    const auto place = static_cast<std::uint32_t>(rng.below(size));
    __builtin_prefetch(&entries_[begin + place]);
    return {place, static_cast<std::uint32_t>(rng.next() >> 32)};
  }
  /// The edge drawn, by its weight. Without a branch: either outcome is likely.
  EdgeId edge_of(EdgeId begin, Try drawn) const {
    const Entry entry = entries_[begin + drawn.place];
    const auto own = static_cast<std::uint32_t>(drawn.coin < entry.keep) |
                     static_cast<std::uint32_t>(entry.alias == kNoAlias);
    const std::uint32_t mask = 0 - own;
    return begin + ((drawn.place & mask) | (entry.alias & ~mask));
  }

  /// For draws elsewhere: of each edge the share of the edge itself times 2^32 and the other edge
  /// of its place, or 2^32 - 1; of each node what num_drawable() says, or empty.
  std::span<const std::uint32_t> numbers() const {
    return {reinterpret_cast<const std::uint32_t*>(entries_.data()), 2 * entries_.size()};
  }
  std::span<const std::uint32_t> drawable() const { return drawable_; }

 private:
  struct Entry {
    std::uint32_t keep = 0;  ///< probability of the edge itself, times 2^32
    std::uint32_t alias = 0;
  };
  static constexpr std::uint32_t kNoAlias = 0xffffffff;  ///< the edge itself for certain

  void build_row(std::span<const float> weights, Entry* row);

  Array<Entry> entries_;
  std::vector<std::uint32_t> drawable_;  ///< of each node, where some weight is 0
};

}  // namespace frugal::gnn
