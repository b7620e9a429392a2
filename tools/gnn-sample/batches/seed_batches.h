#pragma once
#include <cstdint>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/parallel/shard.h"

namespace frugal::gnn {

/// Treatment of an epoch whose number of batches is not a multiple of the number of shards. keep:
/// some shards have one more. drop: the last batches are left out. repeat: the first seeds are used
/// again.
enum class UnevenShards { keep, drop, repeat };
inline constexpr std::array<std::string_view, 3> kUnevenShardsNames = {"keep", "drop", "repeat"};

struct SeedBatchOptions {
  std::uint32_t batch_size = 1024;
  bool shuffle = true;            ///< in a new random order each epoch
  std::size_t shuffle_block = 0;  ///< of epoch_order(); 0: all items at random
  bool drop_last = false;         ///< leave out an epoch's last batch if it is smaller
  std::uint64_t epochs = 1;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  ///< first batch; those before it were made by an earlier run
  Shard shard;              ///< batch b belongs to shard b mod count
  UnevenShards uneven = UnevenShards::keep;
};

/// Distributes items 0, 1, ... over mini-batches, epoch after epoch. The content of a batch depends
/// on its number only, not on where a run began nor on the number of shards.
class BatchOrder {
 public:
  /// Requires fewer than 2^32 items. Fails (usage) if numbers of batches would exceed 64 bits, or
  /// if there are too few for every shard.
  BatchOrder(std::uint64_t num_items, const SeedBatchOptions& options);

  /// Number of batches in an epoch, of all shards.
  std::uint64_t per_epoch() const { return per_epoch_; }
  /// Number of batches of all epochs and shards.
  std::uint64_t total() const { return per_epoch_ * options_.epochs; }
  /// Number of batches that next() will still return.
  std::uint64_t left() const;

  /// Moves to the next batch; false at the end.
  bool next();
  std::uint64_t epoch() const { return number_ / per_epoch_; }
  /// Number of the present batch, counted over all epochs.
  std::uint64_t number() const { return number_; }
  std::uint32_t size() const { return size_; }
  std::uint32_t item(std::uint32_t i) const {
    const std::uint64_t at = begin_ + i;
    return options_.shuffle ? order_[at] : static_cast<std::uint32_t>(at);
  }

 private:
  void make_even();

  SeedBatchOptions options_;
  std::uint64_t num_items_;
  std::vector<std::uint32_t> order_;  ///< items in the order of epoch order_epoch_
  std::uint64_t order_epoch_ = ~std::uint64_t{0};
  std::uint64_t per_epoch_ = 0;
  std::uint64_t different_ = 0;  ///< batches of an epoch with different seeds
  std::uint64_t next_ = 0, number_ = 0, begin_ = 0;
  std::uint32_t size_ = 0;
};

/// Makes mini-batches of seed nodes, in the order of BatchOrder.
class SeedBatches {
 public:
  /// times: of the nodes, or empty.
  SeedBatches(std::vector<NodeId> nodes, std::vector<double> times,
              const SeedBatchOptions& options);
  SeedBatches(std::vector<NodeId> nodes, const SeedBatchOptions& options)
      : SeedBatches(std::move(nodes), {}, options) {}

  std::uint64_t per_epoch() const { return order_.per_epoch(); }
  std::uint64_t total() const { return order_.total(); }
  std::uint64_t left() const { return order_.left(); }

  struct Seeds {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  ///< counted over all epochs
    std::vector<NodeId> nodes;
    std::vector<double> times;  ///< of the nodes, or empty
  };
  /// Sets the seeds of the next mini-batch; false at the end. Reuses the memory of `seeds`.
  bool next(Seeds& seeds);

 private:
  std::vector<NodeId> nodes_;
  std::vector<double> times_;
  BatchOrder order_;
};

}  // namespace frugal::gnn
