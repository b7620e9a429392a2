#pragma once
#include <cstdint>
#include <vector>

#include "tools/gnn-sample/sampler/block.h"

namespace frugal::gnn {

/// The edges of a block by their sources: those of source s are [offsets[s], offsets[s + 1]),
/// targets ascending.
struct TransposedBlock {
  std::vector<std::uint32_t> offsets;  ///< [sources + 1]
  std::vector<std::uint32_t> targets;
  std::vector<std::uint32_t> edges;  ///< number in the block, from 0

  /// Keeps its memory from block to block.
  void assign(const Block& block);
};

}  // namespace frugal::gnn
