#pragma once
#include <cstdint>
#include <vector>

#include "libcore/graph/csr.h"
#include "libcore/parallel/shard.h"

namespace frugal::gnn {

/// Where the batches of an epoch do not divide by the number of shards: some have one more, the
/// last ones are left out, or the first seeds come again.
enum class UnevenShards { keep, drop, repeat };
inline constexpr std::array<std::string_view, 3> kUnevenShardsNames = {"keep", "drop", "repeat"};

struct SeedBatchOptions {
  std::uint32_t batch_size = 1024;
  bool shuffle = true;     ///< in a new order each epoch
  bool drop_last = false;  ///< leave out an epoch's last batch where it is smaller
  std::uint64_t epochs = 1;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  ///< batches before it were made by an earlier run
  Shard shard;              ///< batch b belongs to shard b mod count
  UnevenShards uneven = UnevenShards::keep;
};

/// Which items, counted from 0, make mini-batch after mini-batch, epoch after epoch. What a batch
/// holds depends on its number alone: not on where a run began, nor on how many share the work.
class BatchOrder {
 public:
  /// Below 2^32 items. Fails (usage) where numbers of batches would not fit 64 bits, and where
  /// there are too few for every shard to get some.
  BatchOrder(std::uint64_t num_items, const SeedBatchOptions& options);

  /// Batches of an epoch, of all shards.
  std::uint64_t per_epoch() const { return per_epoch_; }
  /// Batches of all epochs and shards.
  std::uint64_t total() const { return per_epoch_ * options_.epochs; }
  /// Batches that next() will give.
  std::uint64_t left() const;

  /// Goes on to the next batch; false at the end.
  bool next();
  std::uint64_t epoch() const { return number_ / per_epoch_; }
  /// Of the batch, counted on from epoch to epoch.
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
  std::vector<std::uint32_t> order_;  ///< of epoch order_epoch_
  std::uint64_t order_epoch_ = ~std::uint64_t{0};
  std::uint64_t per_epoch_ = 0;
  std::uint64_t different_ = 0;  ///< batches of an epoch with other seeds
  std::uint64_t next_ = 0, number_ = 0, begin_ = 0;
  std::uint32_t size_ = 0;
};

/// The seeds of mini-batch after mini-batch (BatchOrder).
class SeedBatches {
 public:
  /// `times` of the nodes, or empty.
  SeedBatches(std::vector<NodeId> nodes, std::vector<double> times,
              const SeedBatchOptions& options);
  SeedBatches(std::vector<NodeId> nodes, const SeedBatchOptions& options)
      : SeedBatches(std::move(nodes), {}, options) {}

  std::uint64_t per_epoch() const { return order_.per_epoch(); }
  std::uint64_t total() const { return order_.total(); }
  std::uint64_t left() const { return order_.left(); }

  struct Seeds {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  ///< counted on from epoch to epoch
    std::vector<NodeId> nodes;
    std::vector<double> times;  ///< of the nodes, or empty
  };
  /// False at the end. Reuses the memory of `seeds`.
  bool next(Seeds& seeds);

 private:
  std::vector<NodeId> nodes_;
  std::vector<double> times_;
  BatchOrder order_;
};

}  // namespace frugal::gnn
