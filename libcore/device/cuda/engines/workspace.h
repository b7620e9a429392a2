#pragma once
/// Memory of an engine's step.
#include <cstdint>

namespace frugal::cuda {

/// Hands out consecutive, aligned parts of one block of memory. Without a block it only counts.
class Workspace {
 public:
  explicit Workspace(void* block) : block_(static_cast<char*>(block)) {}

  template <class T>
  T* take(std::uint64_t n) {
    const std::uint64_t at = bytes_;
    bytes_ += (n * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    return block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + at);
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kAlignment = 256;
  char* block_;
  std::uint64_t bytes_ = 0;
};

}  // namespace frugal::cuda
