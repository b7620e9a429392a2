#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "libcore/graph/csr.h"

namespace frugal::gnn {

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
  const NodeId* sources = nullptr;      ///< of all edges
  bool prefetch = true;                 ///< ask the memory for the sources of what is drawn
};

/// The ways below.
enum class DrawKind { uniform, repeated, last, window, labor, weighted, weighted_repeated };

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
/// min(fanout, size) edges that follow one another in the row, from any of its places on, round its
/// end: for rows in random order (EpochShuffle), where every set is equally likely then.
std::unique_ptr<NeighborDraw> window_draw();
/// The last min(fanout, size) edges: the newest, where rows ascend in time.
std::unique_ptr<NeighborDraw> last_draw();

class AliasTables;
/// Edges and their weights; borrowed.
struct WeightedEdges {
  const NodeId* sources = nullptr;
  std::span<const float> weights;
  const AliasTables* alias = nullptr;
};
/// `fanout` edges, each by its weight among those that are left, or with repetition by its weight.
/// Edges of weight 0 are never drawn.
std::unique_ptr<NeighborDraw> weighted_draw(const WeightedEdges& edges, bool replace);

/// LABOR-0 (Balin, Catalyurek, NeurIPS 2023), its variant of exactly min(fanout, size) edges: each
/// node has a random number a hop, and every target takes the sources with the lowest. Each set of
/// sources is as likely as with uniform_draw(), but targets with common neighbours draw the same
/// ones, so that a mini-batch has fewer nodes.
std::unique_ptr<NeighborDraw> labor_draw(const CsrView& graph);

}  // namespace frugal::gnn
