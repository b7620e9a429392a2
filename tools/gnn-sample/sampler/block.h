#pragma once
#include <cstdint>
#include <span>

namespace frugal::gnn {

/// One layer of message flow: edges from `sources` nodes of a mini-batch into the first `targets`
/// of them, which are sources too. Row t of a CSR holds the sampled in-neighbours of target t as
/// local ids, positions in the mini-batch's list of nodes. With several types sources and targets
/// are each the first nodes of their type. A view.
struct Block {
  std::uint32_t targets = 0;
  std::uint32_t sources = 0;  ///< >= targets, of one type
  const std::uint32_t* offsets =
      nullptr;  ///< [targets + 1], into neighbors, the first not always 0
  const std::uint32_t* neighbors = nullptr;  ///< local ids, below sources
  const std::uint64_t* positions = nullptr;  ///< each edge's place in the graph's CSR, or null

  std::uint32_t degree(std::uint32_t t) const { return offsets[t + 1] - offsets[t]; }
  std::uint32_t num_edges() const { return targets == 0 ? 0 : offsets[targets] - offsets[0]; }
  std::span<const std::uint32_t> row(std::uint32_t t) const {
    return {neighbors + offsets[t], degree(t)};
  }
};

}  // namespace frugal::gnn
