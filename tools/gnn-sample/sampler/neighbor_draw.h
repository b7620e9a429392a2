#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "libcore/graph/csr.h"

namespace frugal {

/// Targets of a hop that are worked on together: what is random in them is asked of the memory at
/// once.
inline constexpr std::size_t kTargetsAtOnce = 64;

struct DrawTargets {
  std::span<const NodeId> nodes;        ///< at most kTargetsAtOnce
  const EdgeId* begin = nullptr;        ///< where the row of each begins in the CSR
  const std::uint32_t* size = nullptr;  ///< edges of each that may be drawn
  std::uint64_t first = 0;              ///< number of the first among the targets of the hop
  std::uint64_t key = 0;                ///< of the hop: all that is random follows from it
  std::uint32_t fanout = 0;             ///< kAllNeighbors: all
  bool prefetch = true;                 ///< ask the memory for the sources of what is drawn
};

/// A way to choose edges of a node. One object a thread.
class NeighborDraw {
 public:
  virtual ~NeighborDraw() = default;
  /// The most edges that draw() may choose of a row of `size`.
  virtual std::uint64_t at_most(std::uint32_t size, std::uint32_t fanout) const = 0;
  /// Writes how many edges of each target are taken, and their places in the CSR, target by target.
  /// Returns their sum.
  virtual std::size_t draw(const DrawTargets& targets, std::uint32_t* taken, EdgeId* picks) = 0;
};

/// min(fanout, size) different edges, every set equally likely (kernels: draw_distinct()).
std::unique_ptr<NeighborDraw> uniform_draw(const CsrView& graph);
/// `fanout` edges with repetition; rows without edges have none.
std::unique_ptr<NeighborDraw> repeated_draw(const CsrView& graph);

}  // namespace frugal
