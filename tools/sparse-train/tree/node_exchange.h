#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/parallel/communicator.h"
#include "tools/sparse-train/tree/label_tree.h"
#include "tools/sparse-train/tree/node_trainer.h"

namespace frugal::sparse {

/// What a job of a tree's training leaves: the whole node's weights, or a part that is joined with
/// others of its node.
struct TrainedJob {
  NodePart part;
  NodeWeights whole;
};

/// The rank that does each job: the one with the least work so far, the largest jobs first.
std::vector<std::uint32_t> deal_jobs(std::span<const std::uint64_t> work, std::size_t ranks);

/// With all ranks: the first gets each job from its owner, the others keep none.
void bring_to_first(Communicator& ranks, std::span<const std::uint32_t> owner,
                    std::vector<TrainedJob>& jobs);

/// The root's shapes to all.
void broadcast_shape(Communicator& ranks, int root, TreeShape& shape);

}  // namespace frugal::sparse
