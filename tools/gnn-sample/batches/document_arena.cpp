#include "tools/gnn-sample/batches/document_arena.h"

#include <algorithm>
#include <utility>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace frugal::gnn {
namespace {

constexpr std::size_t kTensorAlignment = 64;
/// A multiple of all sizes of pages.
constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Tensor& DocumentArena::add(std::string name, Dtype dtype, Shape shape) {
  const std::size_t bytes = size_in_bytes(dtype, shape);
  Tensor& tensor = document_.tensors.emplace_back();
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  tensor.bytes = Array<std::byte>::view_of({take(bytes), bytes});  // which may be written here
  return tensor;
}

std::byte* DocumentArena::take(std::size_t bytes) {
  bytes = rounded_up(bytes, kTensorAlignment);
  if (!has_room(bytes) || blocks_ == 0) {
    const std::size_t more = rounded_up(std::max({bytes, size_ / 2, kBlockBytes}), kBlockBytes);
    next_ = add_block(size_, more);
    if (blocks_++ == 0) first_ = next_;
    size_ += more;
    left_ = more;
  }
  left_ -= bytes;
  return std::exchange(next_, next_ + bytes);
}

void DocumentArena::clear() {
  document_ = {};
  if (blocks_ > 1) {
    drop_blocks();
    size_ += rounded_up(size_ / 8, kBlockBytes);  // the next ones may be a little larger
    first_ = add_block(0, size_);
    blocks_ = 1;
  }
  next_ = first_;
  left_ = size_;
}

std::byte* OwnArena::add_block(std::size_t /*offset*/, std::size_t size) {
  return blocks_.emplace_back(size, uninitialized).data();
}

}  // namespace frugal::gnn
