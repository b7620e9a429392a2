#pragma once
#include <cstdint>
#include <memory>

#include "libcore/parallel/communicator.h"
#include "tools/sparse-train/outputs/output_layer.h"

namespace frugal::sparse {

/// How labels are dealt: to `count` shards of neighbours, equally many of which each rank has.
struct LabelShards {
  std::uint32_t count = 1;
  bool shared = false;  ///< outputs as make_shared_output()'s, without hard ones; else dense

  /// Of a shard of so many labels.
  LabelRange labels_of(std::uint32_t shard, std::uint32_t labels) const;
  /// Of a rank's shards: those whose rows it trains.
  LabelRange labels_of_rank(int rank, int ranks, std::uint32_t labels) const;
};

/// Each rank computes the outputs of its shards and trains their rows; all have the same batches
/// and hidden units. A step exchanges each shard's part of the normalisers, (largest logit, sum,
/// logits of the examples' labels), by example, and sums the gradient of the hidden units. Sums
/// go shard by shard, in a fixed tree, so a step is the same to the bit for 1, 2, 4, ... ranks
/// where their number and that of shards are powers of two.
/// What is passed must outlive the layer; `network` has the rows of the rank's labels, or all.
std::unique_ptr<OutputLayer> make_sharded_output(Network& network, const Dataset& data,
                                                 const OutputOptions& options,
                                                 const LabelShards& shards, Communicator& ranks);

/// With all ranks: the first, which has the rows of all labels, gets those of the others.
void bring_labels_to_first(Communicator& ranks, const LabelShards& shards, Network& network);

}  // namespace frugal::sparse
