#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "libcore/base/array.h"

namespace frugal::gnn {

/// Room for plain values that grows where it must and is kept: what is filled again and again is
/// not allocated in the steady state. Values are uninitialised and written through data().
template <class T>
class GrowingArray {
 public:
  /// Room for `size` values; the first `kept` of those that there were stay.
  void make_room(std::size_t size, std::size_t kept) {
    if (size <= values_.size()) return;
    Array<T> larger(std::max(size, values_.size() * 2), uninitialized);
    kept = std::min(kept, values_.size());
    if (kept != 0) std::memcpy(larger.data(), values_.data(), kept * sizeof(T));
    values_ = std::move(larger);
  }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::span<const T> first(std::size_t n) const { return {values_.data(), n}; }
  std::size_t capacity() const { return values_.size(); }

 private:
  Array<T> values_;
};

}  // namespace frugal::gnn
