#include "libcore/tensors/packed_parts.h"

#include <algorithm>
#include <cstring>

#include "libcore/tensors/tensor_pack.h"

namespace frugal {

void PackedParts::read(const TensorInfo& info, std::uint64_t first, std::span<std::byte> to,
                       const ReadAt& read_at) {
  if (info.packing == Packing::delta_planes) sum_until(info, first, read_at);
  const std::size_t size = item_size(info.dtype);
  const std::uint64_t plane = (info.end - info.begin) / size;
  const std::uint64_t n = to.size() / size;
  Array<std::byte> planes(to.size(), uninitialized);
  for (std::uint64_t i = 0; i < size; ++i) read_at(i * plane + first, planes.data() + i * n, n);
  merge_planes(size, n, planes.data(), to.data());
  if (info.packing != Packing::delta_planes) return;
  value_ = sum_differences(size, n, to.data(), value_);
  next_ = first + n;
}

void PackedParts::sum_until(const TensorInfo& info, std::uint64_t first, const ReadAt& read_at) {
  constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;
  if (summed_ != &info || next_ > first) next_ = value_ = 0;
  summed_ = &info;
  while (next_ < first) {
    const std::uint64_t n = std::min(kAtOnce, first - next_);
    Array<std::byte> passed(n * item_size(info.dtype), uninitialized);
    read(info, next_, passed, read_at);
  }
}

void PackedParts::read_kept(const TensorInfo& info, std::uint64_t first, std::span<std::byte> to,
                            const ReadAt& read_at) {
  if (kept_ != &info) {
    bytes_ = {};
    Array<std::byte> packed(info.end - info.begin, uninitialized);
    read_at(0, packed.data(), packed.size());
    bytes_ = Array<std::byte>(packed.size(), uninitialized);
    unpack(info, packed.data(), bytes_);
    kept_ = &info;
  }
  if (to.empty()) return;
  std::memcpy(to.data(), bytes_.data() + first * item_size(info.dtype), to.size());
}

}  // namespace frugal
