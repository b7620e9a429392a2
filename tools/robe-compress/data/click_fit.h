#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libcore/base/hash.h"
#include "libcore/base/hash_index.h"
#include "tools/robe-compress/data/click_encoder.h"
#include "tools/robe-compress/data/click_options.h"
#include "tools/robe-compress/data/click_parser.h"
#include "tools/robe-compress/data/sample_store.h"

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
  /// Of the one that is held out, in a group of every_.
  std::uint64_t place(std::uint64_t group) const {
    return is_scattered_ ? hash_to_range(mix64(group), every_) : every_ - 1;
  }

  std::uint64_t every_ = 0;
  bool is_scattered_ = false;
  double last_ = 0;
};

/// How many different values a column has, in little memory: exact up to some thousands, within a
/// few per cent beyond (adaptive sampling: Flajolet, 1990: of many values those are kept whose hash
/// ends in zeros).
class DistinctCount {
 public:
  /// hash: of a value; equal values have equal ones.
  void add(std::uint64_t hash) {
    if ((hash >> 32 & mask_) != 0) return;
    kept_.insert(hash);
    if (kept_.size() > kMostKept) thin_out();
  }
  std::uint64_t count() const { return std::uint64_t{kept_.size()} * (std::uint64_t{mask_} + 1); }
  bool is_exact() const { return mask_ == 0; }

 private:
  static constexpr std::uint32_t kMostKept = 8192;
  void thin_out();

  HashIndex kept_;
  std::uint32_t mask_ = 0;  ///< bits of the hash's upper half that are 0 where it is kept
};

/// Samples with the encoder that made them.
struct FittedSamples {
  std::unique_ptr<ClickEncoder> encoder;  ///< where none was given
  SampleStore store;                      ///< finished, all samples, those held out too
  std::uint64_t positives = 0;            ///< of those that are not held out
};

/// Reads an input once. Without `encoder`, one is fitted to the samples that `held_out` leaves for
/// training: each field's categories are numbered by first appearance while they are read, and
/// renumbered by rank in the end. Errors: as ClickData.
FittedSamples read_samples(const std::string& path, const ClickOptions& options,
                           const HeldOut& held_out, const ClickEncoder* encoder);

/// Fails (bad_input) where a piece has a category that options or the table's size refuse.
void check_unknown(const ClickOptions& options, const ClickEncoder& encoder, ClickParser& parser,
                   const TextPiece& text, const ParsedPiece& piece);

/// Sums of one number over samples, around the first so that little is lost where the numbers are
/// much larger than their differences.
struct NumberSums {
  double count = 0, first = 0, sum = 0, squares = 0;

  void add(float x);
  void merge(const NumberSums& other);
  /// To mean 0 and deviation 1; numbers that are all equal become 0.
  NumberScale scale() const;
};

}  // namespace frugal::robe
