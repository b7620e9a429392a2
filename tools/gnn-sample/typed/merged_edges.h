#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/gnn-sample/typed/used_edges.h"

namespace frugal::gnn {

/// The edges of all relations that lead to a type, as one block: the edges of a target are those of
/// the first relation, then those of the second, and so on. Its sources are the used sources of the
/// first relation, then those of the second. It reuses its memory.
class MergedEdges {
 public:
  /// parts: edges of each relation, which have the same `targets` targets. Fails (unavailable) for
  /// 2^32 edges or more.
  void assign(std::uint32_t targets, std::span<const UsedEdges* const> parts);

  const Block& block() const { return block_; }

 private:
  Block block_;
  std::vector<std::uint32_t> offsets_, neighbors_, places_;
};

}  // namespace frugal::gnn
