#pragma once
#include <cstdint>

#include "libcore/base/hash_index.h"

namespace frugal::robe {

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

}  // namespace frugal::robe
