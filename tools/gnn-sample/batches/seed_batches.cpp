#include "tools/gnn-sample/batches/seed_batches.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kMostEpochs = std::uint64_t{1} << 31, kMostBatches = std::uint64_t{1} << 62;

void check(const SeedBatchOptions& options) {
  if (options.epochs > kMostEpochs) {
    fail(ExitStatus::usage, "--epochs is ", options.epochs, ", expected at most ", kMostEpochs);
  }
  if (options.first > kMostBatches) {
    fail(ExitStatus::usage, "--from is ", options.first, ", expected at most ", kMostBatches);
  }
}

}  // namespace

BatchOrder::BatchOrder(std::uint64_t num_items, const SeedBatchOptions& options)
    : options_(options), num_items_(num_items) {
  assert(options.batch_size > 0);
  check(options);
  const std::uint64_t whole = num_items / options.batch_size;
  different_ = whole + (num_items % options.batch_size != 0 && !options.drop_last ? 1 : 0);
  per_epoch_ = different_;
  make_even();
  const auto count = static_cast<std::uint64_t>(options.shard.count);
  const auto index = static_cast<std::uint64_t>(options.shard.index);
  next_ = options.first + (index + count - options.first % count) % count;
}

/// As many batches of an epoch for each shard.
void BatchOrder::make_even() {
  const auto count = static_cast<std::uint64_t>(options_.shard.count);
  if (options_.uneven == UnevenShards::keep || different_ == 0) return;
  const bool repeat = options_.uneven == UnevenShards::repeat;
  per_epoch_ = (different_ + (repeat ? count - 1 : 0)) / count * count;
  if (per_epoch_ != 0) return;
  fail(ExitStatus::usage, "--uneven-shards drop: an epoch has ", different_, " mini-batches for ",
       count, " parts, expected at least as many; take a smaller --batch-size");
}

std::uint64_t BatchOrder::left() const {
  const auto count = static_cast<std::uint64_t>(options_.shard.count);
  return next_ >= total() ? 0 : (total() - next_ + count - 1) / count;
}

bool BatchOrder::next() {
  if (next_ >= total()) return false;
  number_ = next_;
  if (options_.shuffle && order_epoch_ != epoch()) {
    order_ = epoch_order(num_items_, options_.shuffle_block, options_.seed, epoch());
    order_epoch_ = epoch();
  }
  begin_ = number_ % per_epoch_ % different_ * options_.batch_size;
  size_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(options_.batch_size, num_items_ - begin_));
  next_ += static_cast<std::uint64_t>(options_.shard.count);
  return true;
}

SeedBatches::SeedBatches(std::vector<NodeId> nodes, std::vector<double> times,
                         const SeedBatchOptions& options)
    : nodes_(std::move(nodes)), times_(std::move(times)), order_(nodes_.size(), options) {
  assert(times_.empty() || times_.size() == nodes_.size());
}

bool SeedBatches::next(Seeds& seeds) {
  if (!order_.next()) return false;
  seeds.epoch = order_.epoch();
  seeds.number = order_.number();
  seeds.nodes.clear();
  seeds.times.clear();
  for (std::uint32_t i = 0; i < order_.size(); ++i) {
    seeds.nodes.push_back(nodes_[order_.item(i)]);
    if (!times_.empty()) seeds.times.push_back(times_[order_.item(i)]);
  }
  return true;
}

}  // namespace frugal::gnn
