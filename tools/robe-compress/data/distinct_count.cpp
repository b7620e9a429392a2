#include "tools/robe-compress/data/distinct_count.h"

#include <utility>

namespace frugal::robe {

void DistinctCount::thin_out() {
  while (kept_.size() > kMostKept) {
    mask_ = mask_ << 1 | 1;
    HashIndex rest;
    for (const std::uint64_t hash : kept_.keys()) {
      if ((hash >> 32 & mask_) == 0) rest.insert(hash);
    }
    kept_ = std::move(rest);
  }
}

}  // namespace frugal::robe
