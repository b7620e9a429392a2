#include "tools/gnn-sample/batches/seed_batches.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "libcore/base/epoch_order.h"

namespace frugal {

SeedBatches::SeedBatches(std::vector<NodeId> nodes, const SeedBatchOptions& options)
    : options_(options), nodes_(std::move(nodes)) {
  assert(options.batch_size > 0);
  const std::uint64_t whole = nodes_.size() / options.batch_size;
  per_epoch_ = whole + (nodes_.size() % options.batch_size != 0 && !options.drop_last ? 1 : 0);
  const auto count = static_cast<std::uint64_t>(options.shard.count);
  const auto index = static_cast<std::uint64_t>(options.shard.index);
  next_ = options.first + (index + count - options.first % count) % count;
}

std::uint64_t SeedBatches::left() const {
  const auto count = static_cast<std::uint64_t>(options_.shard.count);
  return next_ >= total() ? 0 : (total() - next_ + count - 1) / count;
}

bool SeedBatches::next(Seeds& seeds) {
  if (next_ >= total()) return false;
  seeds.number = next_;
  seeds.epoch = next_ / per_epoch_;
  if (options_.shuffle && order_epoch_ != seeds.epoch) {
    order_ = epoch_order(nodes_.size(), 0, options_.seed, seeds.epoch);
    order_epoch_ = seeds.epoch;
  }
  const std::uint64_t begin = next_ % per_epoch_ * options_.batch_size;
  const std::uint64_t end = std::min<std::uint64_t>(begin + options_.batch_size, nodes_.size());
  seeds.nodes.clear();
  for (std::uint64_t i = begin; i < end; ++i) {
    seeds.nodes.push_back(nodes_[options_.shuffle ? order_[i] : i]);
  }
  next_ += static_cast<std::uint64_t>(options_.shard.count);
  return true;
}

}  // namespace frugal
