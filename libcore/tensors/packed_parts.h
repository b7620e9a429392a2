#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Elements of packed tensors of one document, read in parts. Differences go on where they were
/// read last, or are summed from the beginning again.
class PackedParts {
 public:
  /// Reads stored bytes [begin, begin + size) of the tensor.
  using ReadAt = std::function<void(std::uint64_t begin, std::byte* to, std::uint64_t size)>;

  /// The elements from `first` on, as many as `to` has room for.
  void read(const TensorInfo& info, std::uint64_t first, std::span<std::byte> to,
            const ReadAt& read_at);
  /// Reads as read() does, for a tensor whose bytes pass by once: keeps all of it.
  void read_kept(const TensorInfo& info, std::uint64_t first, std::span<std::byte> to,
                 const ReadAt& read_at);

 private:
  void sum_until(const TensorInfo& info, std::uint64_t first, const ReadAt& read_at);

  const TensorInfo* summed_ = nullptr;  ///< whose differences go on
  std::uint64_t next_ = 0;              ///< with this element
  std::uint64_t value_ = 0;             ///< and the value before it
  const TensorInfo* kept_ = nullptr;
  Array<std::byte> bytes_;  ///< of kept_
};

}  // namespace frugal
