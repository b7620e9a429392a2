#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "tools/sparse-train/data/dataset.h"

namespace frugal::sparse {

/// The batches of a training. The order of examples is a function of (seed, epoch).
class EpochBatches {
 public:
  /// data: must outlive the object.
  EpochBatches(const Dataset& data, std::uint32_t batch_size, std::uint64_t seed)
      : data_(data), batch_size_(batch_size), seed_(seed) {}

  std::uint64_t per_epoch() const { return (data_.size() + batch_size_ - 1) / batch_size_; }
  /// Switches to the order of the epoch that `step` is in.
  void shuffle(std::uint64_t step) {
    order_ = epoch_order(data_.size(), data_.shuffle_block, seed_,
                         hash_combine(kOrderStream, step / per_epoch()));
    if (!data_.weights.empty()) draw_by_weight(step / per_epoch());
  }
  std::span<const std::uint32_t> examples_of(std::uint64_t step) const {
    const std::size_t begin = (step % per_epoch()) * batch_size_;
    const std::size_t end = std::min<std::size_t>(begin + batch_size_, order_.size());
    return {order_.data() + begin, end - begin};
  }

 private:
  static constexpr std::uint64_t kOrderStream = 4, kWeightStream = 5;

  /// Systematic sampling: draws as many examples as there are, each as often as its weight, rounded
  /// up or down.
  void draw_by_weight(std::uint64_t epoch) {
    const double start = Rng(seed_, hash_combine(kWeightStream, epoch)).uniform();
    std::vector<std::uint32_t> drawn;
    drawn.reserve(data_.size());
    double sum = 0;
    for (std::uint32_t i = 0; i < data_.size(); ++i) {
      sum += static_cast<double>(data_.weights[i]);
      while (static_cast<double>(drawn.size()) + start < sum) drawn.push_back(i);
    }
    drawn.resize(data_.size(), drawn.empty() ? 0 : drawn.back());
    for (std::uint32_t& example : order_) example = drawn[example];
  }

  const Dataset& data_;
  std::uint32_t batch_size_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> order_;
};

}  // namespace frugal::sparse
