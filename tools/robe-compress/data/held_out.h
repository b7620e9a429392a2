#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

namespace frugal {

/// Which of the samples are held out: every K-th ("every:10": samples 9, 19 ...) or the last share
/// ("last:0.1").
class HeldOut {
 public:
  HeldOut() = default;                      ///< none
  explicit HeldOut(std::string_view text);  ///< fails (usage), naming --held-out
  static HeldOut every(std::uint64_t k);    ///< k >= 2

  std::uint64_t count(std::uint64_t samples) const;
  bool contains(std::uint64_t sample, std::uint64_t samples) const {
    if (every_ != 0) return sample % every_ == every_ - 1;
    return sample >= samples - count(samples);
  }
  /// The i-th of the samples that are not held out, and of those that are.
  std::uint64_t training_sample(std::uint64_t i) const {
    return every_ != 0 ? i + i / (every_ - 1) : i;
  }
  std::uint64_t held_out_sample(std::uint64_t i, std::uint64_t samples) const {
    return every_ != 0 ? (i + 1) * every_ - 1 : samples - count(samples) + i;
  }

 private:
  std::uint64_t every_ = 0;
  double last_ = 0;
};

}  // namespace frugal
