#pragma once
#include <cstdint>

namespace frugal {

/// Bytes of a known number, read at any offset.
class RandomBytes {
 public:
  virtual ~RandomBytes() = default;
  /// Exactly `count` bytes from `offset`, which the caller has compared with how many there are.
  virtual void read_at(std::uint64_t offset, void* to, std::uint64_t count) const = 0;
};

}  // namespace frugal
