#pragma once
#include <cstdint>
#include <vector>

#include "tools/gnn-sample/sampler/mini_batch.h"

namespace frugal::gnn {

/// The part of a block that has edges: its targets with neighbours, and those neighbours. Many
/// relations join few of the nodes of their types. It keeps the weights of edges, and reuses its
/// memory.
class UsedEdges {
 public:
  void assign(const Block& whole);

  const Block& block() const { return block_; }
  /// Numbers of the block's targets and sources in the whole one, ascending.
  const std::vector<std::uint32_t>& targets() const { return targets_; }
  const std::vector<std::uint32_t>& sources() const { return sources_; }

 private:
  Block block_;
  std::vector<std::uint32_t> targets_, sources_, offsets_, neighbors_;
  std::vector<float> weights_;          ///< of the edges, if the whole block has some
  std::vector<std::uint32_t> numbers_;  ///< of each source of the whole block
};

}  // namespace frugal::gnn
