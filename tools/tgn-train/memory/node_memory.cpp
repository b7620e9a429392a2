#include "tools/tgn-train/memory/node_memory.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "libcore/kernels/kernels.h"

namespace frugal {
namespace {

constexpr std::size_t kLine = 64;

std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

NodeMemory::NodeMemory(const NodeMemoryShape& shape)
    : shape_(shape),
      message_begin_(whole_lines(shape.state_dim * item_size(shape.dtype))),
      stride_(message_begin_ + whole_lines(shape.message_dim * item_size(shape.dtype))),
      data_(shape.nodes * stride_) {
  assert(shape.dtype == Dtype::f32 || shape.dtype == Dtype::bf16);
}

void NodeMemory::reset() { std::fill(data_.begin(), data_.end(), std::byte{0}); }

void NodeMemory::read(NodeId node, MemoryPart part, float* out) const {
  const std::size_t n = part == MemoryPart::state ? shape_.state_dim : shape_.message_dim;
  const std::byte* from = part_of(node, part);
  if (shape_.dtype == Dtype::f32) {
    std::memcpy(out, from, n * sizeof(float));
  } else {
    kernels().from_bf16(reinterpret_cast<const BFloat16*>(from), out, n);
  }
}

void NodeMemory::write(NodeId node, const float* state, const float* message) {
  put(state, shape_.state_dim, part_of(node, MemoryPart::state));
  if (shape_.message_dim != 0) {
    put(message, shape_.message_dim, part_of(node, MemoryPart::message));
  }
}

void NodeMemory::grow(std::size_t nodes) {
  assert(nodes >= shape_.nodes);
  if (nodes == shape_.nodes) return;
  shape_.nodes = nodes;
  Array<std::byte> grown(nodes * stride_);
  std::copy(data_.begin(), data_.end(), grown.begin());
  data_ = std::move(grown);
}

void NodeMemory::put(const float* from, std::size_t n, std::byte* to) const {
  if (shape_.dtype == Dtype::f32) {
    std::memcpy(to, from, n * sizeof(float));
  } else {
    kernels().to_bf16(from, reinterpret_cast<BFloat16*>(to), n);
  }
}

void NodeMemory::prefetch(NodeId node) const {
  const std::byte* record = data_.data() + node * stride_;
  for (std::size_t i = 0; i < stride_; i += kLine) __builtin_prefetch(record + i);
}

}  // namespace frugal
