#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// The batches of a training: the examples of an epoch in its order, a function of (seed, epoch).
class EpochBatches {
 public:
  /// `data` must outlive this object.
  EpochBatches(const Dataset& data, std::uint32_t batch_size, std::uint64_t seed)
      : data_(data), batch_size_(batch_size), seed_(seed) {}

  std::uint64_t per_epoch() const { return (data_.size() + batch_size_ - 1) / batch_size_; }
  /// Those of the epoch that step `step` lies in, from now on.
  void shuffle(std::uint64_t step) {
    order_ = epoch_order(data_.size(), data_.shuffle_block, seed_,
                         hash_combine(kOrderStream, step / per_epoch()));
  }
  std::span<const std::uint32_t> examples_of(std::uint64_t step) const {
    const std::size_t begin = (step % per_epoch()) * batch_size_;
    const std::size_t end = std::min<std::size_t>(begin + batch_size_, order_.size());
    return {order_.data() + begin, end - begin};
  }

 private:
  static constexpr std::uint64_t kOrderStream = 4;

  const Dataset& data_;
  std::uint32_t batch_size_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> order_;
};

}  // namespace frugal::sparse
