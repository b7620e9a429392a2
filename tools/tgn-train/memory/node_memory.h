#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/io/tensor.h"
#include "tools/tgn-train/network/step_plan.h"

namespace frugal {

struct NodeMemoryShape {
  std::size_t nodes = 0;
  std::size_t state_dim = 0;
  std::size_t message_dim = 0;  ///< 0: no messages are kept
  Dtype dtype = Dtype::f32;     ///< or bf16: numbers are rounded to it when they are stored
};

/// What is kept of all nodes from step to step: the state and, behind it, the last message of each,
/// in one record of whole cache lines. All zero at first.
class NodeMemory {
 public:
  explicit NodeMemory(const NodeMemoryShape& shape);

  const NodeMemoryShape& shape() const { return shape_; }
  void reset();
  /// Copies a part of a node's record to out, [state_dim] or [message_dim].
  void read(NodeId node, MemoryPart part, float* out) const;
  /// message: [message_dim], not read where none is kept.
  void write(NodeId node, const float* state, const float* message);
  void prefetch(NodeId node) const;
  /// From now on there are so many nodes, not fewer than before; new ones are all zero.
  void grow(std::size_t nodes);
  /// Of a node: of whole cache lines.
  std::size_t record_bytes() const { return stride_; }

  /// All records, for checkpoints.
  std::span<std::byte> bytes() { return {data_.data(), data_.size()}; }
  std::span<const std::byte> bytes() const { return {data_.data(), data_.size()}; }

 private:
  std::byte* part_of(NodeId node, MemoryPart part) {
    return data_.data() + node * stride_ + (part == MemoryPart::state ? 0 : message_begin_);
  }
  const std::byte* part_of(NodeId node, MemoryPart part) const {
    return data_.data() + node * stride_ + (part == MemoryPart::state ? 0 : message_begin_);
  }
  void put(const float* from, std::size_t n, std::byte* to) const;

  NodeMemoryShape shape_;
  std::size_t message_begin_, stride_;  ///< bytes
  Array<std::byte> data_;
};

}  // namespace frugal
