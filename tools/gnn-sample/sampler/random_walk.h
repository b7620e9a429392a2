#pragma once
#include <cstdint>
#include <span>

#include "libcore/graph/csr.h"

namespace frugal::gnn {

struct WalkOptions {
  std::uint32_t length = 0;  ///< steps of a walk
  /// node2vec (Grover, Leskovec, KDD 2016): a step from v, which was reached from t, goes to x with
  /// a weight of 1/p where x is t, 1 where t has an edge from x, else 1/q.
  double p = 1, q = 1;
  double restart = 0;  ///< probability that a step goes back to where the walk began
  std::uint64_t seed = 0;
  bool sources_ascend = true;  ///< in the rows of the graph
  bool interleave = true;      ///< how, not what: many walks at a time, to wait for memory once
};

/// What stands in a walk behind a node without edges, where it ends.
inline constexpr NodeId kNoNode = 0xffffffff;

/// Walks from nodes to sources of their edges, each edge equally likely unless p or q say
/// otherwise. For many threads.
class RandomWalks {
 public:
  /// Borrows what the graph points to.
  RandomWalks(const CsrView& graph, const WalkOptions& options);

  const WalkOptions& options() const { return options_; }
  /// Writes a walk from each of `starts`, [starts, length + 1] nodes. All that is random in walk i
  /// follows from the seed, `key` and i. Returns the steps that were taken.
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
  double usual_;   ///< the largest weight of an edge other than the one back
  double excess_;  ///< of the weight of the edge back above it
};

}  // namespace frugal::gnn
