#include "libcore/io/row_stream.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace frugal {

void RowStream::read(std::span<std::byte> to) {
  while (!to.empty()) {
    const std::size_t n = rest_begin_ < rest_.size() ? take_rest(to) : make_rows(to);
    to = to.subspan(n);
  }
}

std::size_t RowStream::take_rest(std::span<std::byte> to) {
  const std::size_t n = std::min(to.size(), rest_.size() - rest_begin_);
  std::memcpy(to.data(), rest_.data() + rest_begin_, n);
  rest_begin_ += n;
  return n;
}

/// Whole rows as far as they have room, else one of which read() takes the first part; 0 at the end
/// of a tensor.
std::size_t RowStream::make_rows(std::span<std::byte> to) {
  assert(!tensors_.empty());
  const TensorInfo& tensor = tensors_.front();
  const std::uint64_t num_bytes = tensor.end - tensor.begin;
  const std::uint64_t rows = num_bytes == 0 ? 0 : num_rows(tensor.shape);
  if (row_ == rows) {
    tensors_ = tensors_.subspan(1);
    row_ = 0;
    return 0;
  }
  const auto row_bytes = static_cast<std::size_t>(num_bytes / rows);
  const std::uint64_t begin = row_;
  const std::uint64_t whole = std::min<std::uint64_t>(rows - begin, to.size() / row_bytes);
  if (whole > 0) {
    const std::size_t size = static_cast<std::size_t>(whole) * row_bytes;
    fill_(tensor, begin, row_ += whole, to.first(size));
    return size;
  }
  rest_.clear();
  rest_begin_ = 0;
  fill_(tensor, begin, ++row_, {rest_.extend(row_bytes), row_bytes});
  return take_rest(to);
}

}  // namespace frugal
