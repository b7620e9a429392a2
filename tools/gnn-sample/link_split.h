#pragma once
#include <cstdint>

#include "tools/gnn-sample/batches/link_batches.h"
#include "tools/gnn-sample/data/stored_graph.h"

namespace frugal::gnn {

/// Which links of a graph a model is trained, validated and tested with: by chance, a function of
/// the seed and the ends in either order. An edge's reverse tells as much as the edge itself, as
/// the dot product of two embeddings does not know a direction: they stay together.
class LinkSplit {
 public:
  /// held_out: the share that is not for training, one half for validation, the other for test.
  LinkSplit(double held_out, std::uint64_t seed) : held_out_(held_out), seed_(seed) {}

  Part part(NodeId source, NodeId target) const;

 private:
  double held_out_;
  std::uint64_t seed_;
};

/// The edges of each part, of undirected graphs in one direction, without those from a node to
/// itself, ascending by target, then as in the graph. Fails (unavailable) above 2^32 - 1 of them.
struct SplitLinks {
  SplitLinks(const StoredGraph& graph, const LinkSplit& split);

  std::vector<Link> train, valid, test;
};

}  // namespace frugal::gnn
