#pragma once
#include <cstdint>
#include <string_view>

#include "libcore/base/hash.h"

namespace frugal::robe {

/// Which of the samples are held out: every K-th ("every:10": samples 9, 19 ...), one of every K,
/// or the last share ("last:0.1").
class HeldOut {
 public:
  HeldOut() = default;                      ///< none
  explicit HeldOut(std::string_view text);  ///< fails (usage), naming --held-out
  /// One of every k >= 2 samples, at a place that no order of the samples follows: of a click and
  /// a sample that is none by turns, every tenth is of one class.
  static HeldOut one_of(std::uint64_t k);

  std::uint64_t count(std::uint64_t samples) const;
  bool contains(std::uint64_t sample, std::uint64_t samples) const {
    if (every_ == 0) return sample >= samples - count(samples);
    return sample / every_ < count(samples) && sample % every_ == place(sample / every_);
  }
  /// The i-th of the samples that are not held out, and of those that are.
  std::uint64_t training_sample(std::uint64_t i, std::uint64_t samples) const {
    if (every_ == 0) return i;
    const std::uint64_t group = i / (every_ - 1), at = i % (every_ - 1);
    const bool is_behind = group < count(samples) && at >= place(group);
    return group * every_ + at + (is_behind ? 1 : 0);
  }
  std::uint64_t held_out_sample(std::uint64_t i, std::uint64_t samples) const {
    return every_ != 0 ? i * every_ + place(i) : samples - count(samples) + i;
  }

 private:
  /// Place of the sample that is held out in a group of every_.
  std::uint64_t place(std::uint64_t group) const {
    return is_scattered_ ? hash_to_range(mix64(group), every_) : every_ - 1;
  }

  std::uint64_t every_ = 0;
  bool is_scattered_ = false;
  double last_ = 0;
};

}  // namespace frugal::robe
