#pragma once
#include <cstdint>

#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal {

/// Which links of a graph a model is trained, validated and tested with: by chance, a function of
/// the seed and the ends, so that the two directions of an undirected edge stay together.
class LinkSplit {
 public:
  /// held_out: the share that is not for training, one half for validation, the other for test.
  LinkSplit(double held_out, std::uint64_t seed, bool directed)
      : held_out_(held_out), seed_(seed), directed_(directed) {}

  Part part(NodeId source, NodeId target) const;

 private:
  double held_out_;
  std::uint64_t seed_;
  bool directed_;
};

/// The edges of each part, of undirected graphs in one direction, without those from a node to
/// itself, ascending by target, then as in the graph. Fails (unavailable) above 2^32 - 1 of them.
struct SplitLinks {
  SplitLinks(const StoredGraph& graph, const LinkSplit& split);

  std::vector<Link> train, valid, test;
};

}  // namespace frugal
