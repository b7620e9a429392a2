#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/distributed/shard.h"
#include "libcore/graph/csr.h"

namespace frugal {

struct SeedBatchOptions {
  std::uint32_t batch_size = 1024;
  bool shuffle = true;     ///< in a new order each epoch
  bool drop_last = false;  ///< leave out an epoch's last batch where it is smaller
  std::uint64_t epochs = 1;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  ///< batches before it were made by an earlier run
  Shard shard;              ///< batch b belongs to shard b mod count
};

/// The seeds of mini-batch after mini-batch, epoch after epoch. What a batch holds depends on its
/// number alone: not on where a run began, nor on how many share the work.
class SeedBatches {
 public:
  SeedBatches(std::vector<NodeId> nodes, const SeedBatchOptions& options);

  /// Batches of an epoch, of all shards.
  std::uint64_t per_epoch() const { return per_epoch_; }
  /// Batches that next() will give.
  std::uint64_t left() const;

  struct Seeds {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  ///< counted on from epoch to epoch
    std::vector<NodeId> nodes;
  };
  /// False at the end. Reuses the memory of `seeds`.
  bool next(Seeds& seeds);

 private:
  std::uint64_t total() const { return per_epoch_ * options_.epochs; }

  SeedBatchOptions options_;
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> order_;  ///< of epoch order_epoch_; empty where it is that of nodes_
  std::uint64_t order_epoch_ = ~std::uint64_t{0};
  std::uint64_t per_epoch_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace frugal
