#include "tools/tensor-file/converted_pieces.h"

#include <algorithm>
#include <cstring>

#include "tools/tensor-file/element.h"

namespace frugal::tensor_file {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{8} << 20;

}  // namespace

Dtype converted_type(Dtype from, std::optional<Dtype> to) {
  return to && is_floating_point(from) ? *to : from;
}

ByteFiller ConvertedPieces::filler() {
  return [this](const TensorInfo& tensor, std::uint64_t offset, std::span<std::byte> to) {
    while (!to.empty()) {
      const bool at_hand = piece_.name == tensor.name && offset >= piece_begin_ &&
                           offset - piece_begin_ < piece_.bytes.size();
      if (!at_hand) load(tensor, offset);
      const auto begin = static_cast<std::size_t>(offset - piece_begin_);
      const std::size_t n = std::min(to.size(), piece_.bytes.size() - begin);
      std::memcpy(to.data(), piece_.bytes.data() + begin, n);
      to = to.subspan(n);
      offset += n;
    }
  };
}

/// `offset` is where a piece begins: they are asked for one after the other.
void ConvertedPieces::load(const TensorInfo& tensor, std::uint64_t offset) {
  const std::uint64_t begin = offset * 8 / item_bits(tensor.dtype);
  // A multiple of 8, so that elements of less than a byte end between bytes.
  const std::uint64_t most = kPieceBytes / item_size(tensor.dtype);
  const std::uint64_t end = std::min(begin + most, num_elements(tensor.shape));
  piece_ = source_.read_elements(tensor.name, begin, end);
  piece_begin_ = offset;
  progress_(static_cast<double>(source_.bytes_read()));
  if (piece_.dtype == tensor.dtype) return;
  std::uint64_t& overflows = overflows_[tensor.name];
  if (offset == 0) overflows = 0;  // an archive's tensors are made twice
  piece_ = converted(piece_, tensor.dtype, overflows);
}

}  // namespace frugal::tensor_file
