#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "tools/sparse-train/tree/label_tree.h"
#include "tools/sparse-train/tree/node_trainer.h"

namespace frugal::sparse {

/// Result of a job of a tree's training: the weights of a whole node, or a part that is joined with
/// others of its node.
struct TrainedJob {
  NodePart part;
  NodeWeights whole;
};

/// Assigns each job to a rank: largest jobs first, each to the rank with the least work so far.
std::vector<std::uint32_t> deal_jobs(std::span<const std::uint64_t> work, std::size_t ranks);

/// Collective: sends each job's result from its owner to the first rank; the others keep none.
void bring_to_first(Communicator& ranks, std::span<const std::uint32_t> owner,
                    std::vector<TrainedJob>& jobs);

/// Collective: sends rank `root`'s shape to all ranks.
void broadcast_shape(Communicator& ranks, int root, TreeShape& shape);

}  // namespace frugal::sparse
