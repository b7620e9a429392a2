#pragma once
#include <cstdint>
#include <memory>

#include "libcore/parallel/communicator.h"
#include "tools/sparse-train/outputs/output_layer.h"

namespace frugal::sparse {

/// Distribution of labels over `count` shards of consecutive labels. Every rank has equally many
/// shards.
struct LabelShards {
  std::uint32_t count = 1;
  bool shared = false;  ///< outputs as in make_shared_output(), without hard ones; otherwise dense

  /// Labels of a shard, out of `labels`.
  LabelRange labels_of(std::uint32_t shard, std::uint32_t labels) const;
  /// Labels of a rank's shards, whose rows it trains.
  LabelRange labels_of_rank(int rank, int ranks, std::uint32_t labels) const;
};

/// Output layer in which each rank computes the outputs of its shards and trains their rows. All
/// ranks have the same batches and hidden units. A step exchanges each shard's part of the
/// normalisers (largest logit, sum, logits of the examples' labels) for each example, and sums the
/// gradients of the hidden units. Sums are added shard by shard, as a fixed tree. So a step is the
/// same to the bit for 1, 2, 4, ... ranks, if the numbers of ranks and shards are powers of two.
/// All arguments must outlive the layer; `network` has the rows of the rank's labels, or all.
std::unique_ptr<OutputLayer> make_sharded_output(Network& network, const Dataset& data,
                                                 const OutputOptions& options,
                                                 const LabelShards& shards, Communicator& ranks);

/// Collective: the first rank, whose network has rows of all labels, receives those of the other
/// ranks.
void bring_labels_to_first(Communicator& ranks, const LabelShards& shards, Network& network);

}  // namespace frugal::sparse
