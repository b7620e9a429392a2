#pragma once
#include <cstdint>
#include <span>

#include "libcore/graph/csr.h"

namespace frugal::gnn {

struct WalkOptions {
  std::uint32_t length = 0;  ///< number of steps of a walk
  /// node2vec (Grover, Leskovec, KDD 2016): a step from v, which was reached from t, goes to x with
  /// a weight of 1/p if x is t, 1 if t has an edge from x, and 1/q otherwise.
  double p = 1, q = 1;
  double restart = 0;  ///< probability that a step returns to the walk's start
  std::uint64_t seed = 0;
  bool sources_ascend = true;  ///< rows of the graph ascend by source
  bool interleave = true;  ///< only affects speed: runs many walks at a time to hide memory latency
};

/// Fills the rest of a walk that ended at a node without edges.
inline constexpr NodeId kNoNode = 0xffffffff;

/// Random walks from nodes to the sources of their edges, each edge equally likely unless p or q
/// differ from 1. May be used by several threads.
class RandomWalks {
 public:
  /// Borrows what the graph points to.
  RandomWalks(const CsrView& graph, const WalkOptions& options);

  const WalkOptions& options() const { return options_; }
  /// Writes a walk from each of `starts` to walks, [starts, length + 1]. The random numbers of walk
  /// i are a function of the seed, `key` and i. Returns the number of steps.
  std::uint64_t walk(std::span<const NodeId> starts, std::uint64_t key, NodeId* walks) const;

 private:
  struct Walker;
  void decide(Walker* walkers, std::span<std::uint32_t> undecided) const;
  std::uint64_t walk_together(std::span<const NodeId> starts, Walker* walkers, NodeId* walks) const;
  void begin_step(Walker& walker) const;
  void ask_for_row(const Walker& walker) const;
  bool choose(Walker& walker) const;
  bool is_accepted(Walker& walker, NodeId next) const;
  double weight_of(const Walker& walker, NodeId next) const;
  void draw_by_weights(Walker& walker) const;
  void propose(Walker& walker) const;
  std::uint32_t count_edges(NodeId target, NodeId source) const;

  CsrView graph_;
  WalkOptions options_;
  bool second_order_;
  double usual_;   ///< largest weight of an edge other than the one back
  double excess_;  ///< weight of the edge back minus usual_
};

}  // namespace frugal::gnn
