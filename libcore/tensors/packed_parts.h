#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Reads elements of packed tensors of one document in parts. For packing with differences it
/// continues the sum where it stopped last, or starts again at the beginning.
class PackedParts {
 public:
  /// Reads stored bytes [begin, begin + size) of the tensor.
  using ReadAt = std::function<void(std::uint64_t begin, std::byte* to, std::uint64_t size)>;

  /// Reads the elements from `first` on that fill `to`.
  void read(const TensorInfo& info, std::uint64_t first, std::span<std::byte> to,
            const ReadAt& read_at);
  /// Reads as read() does, for an input that can be read only once: keeps the whole tensor in
  /// memory.
  void read_kept(const TensorInfo& info, std::uint64_t first, std::span<std::byte> to,
                 const ReadAt& read_at);

 private:
  void sum_until(const TensorInfo& info, std::uint64_t first, const ReadAt& read_at);

  const TensorInfo* summed_ = nullptr;  ///< tensor whose differences have been summed up
  std::uint64_t next_ = 0;              ///< to before this element
  std::uint64_t value_ = 0;             ///< sum so far
  const TensorInfo* kept_ = nullptr;
  Array<std::byte> bytes_;  ///< of kept_
};

}  // namespace frugal
