#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "libcore/base/array.h"

namespace frugal {

/// Allocator for std::vector of plain values that may grow to gigabytes. resize() leaves new values
/// uninitialised, and blocks from 4 MiB on are mapped with huge pages (allocate_aligned()): pages
/// take memory only once they are written, and a freed block goes back to the system.
template <class T>
struct BulkAllocator {
  static_assert(std::is_trivially_copyable_v<T>, "BulkAllocator is for plain values");
  using value_type = T;

  BulkAllocator() = default;
  template <class U>
  BulkAllocator(const BulkAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t size) {
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_alloc();
    const std::size_t bytes = size * sizeof(T);
    return static_cast<T*>(bytes < kBulk ? ::operator new(bytes) : allocate_aligned(bytes));
  }
  void deallocate(T* values, std::size_t size) noexcept {
    const std::size_t bytes = size * sizeof(T);
    if (bytes < kBulk) return ::operator delete(values);
    free_aligned(values, bytes);
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    if constexpr (sizeof...(Arguments) == 0) {
      ::new (static_cast<void*>(place)) U;
    } else {
      ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
    }
  }
  bool operator==(const BulkAllocator&) const { return true; }

 private:
  static constexpr std::size_t kBulk = std::size_t{4} << 20;
};

}  // namespace frugal
