#pragma once
#include <span>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor.h"
#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

struct NodeMemoryShape {
  std::size_t nodes = 0;
  std::size_t state_dim = 0;
  std::size_t message_dim = 0;  ///< 0: messages are not stored
  Dtype dtype = Dtype::f32;     ///< f32 or bf16; numbers are rounded to it when stored
};

/// Records of nodes that steps read and write: the state and, if messages are stored, the last
/// message.
class MemoryRecords {
 public:
  virtual ~MemoryRecords() = default;

  virtual const NodeMemoryShape& shape() const = 0;
  /// Announces the records that a step will read.
  virtual void expect(std::span<const MemoryLoad>) {}
  /// Copies a part of the node's record to out, [state_dim] or [message_dim].
  virtual void read(NodeId node, MemoryPart part, float* out) const = 0;
  /// Writes the state, [state_dim], and the message, [message_dim]. If message is null, the stored
  /// one stays.
  virtual void write(NodeId node, const float* state, const float* message) = 0;
  /// Prefetches the record into the CPU cache.
  virtual void prefetch(NodeId node) const = 0;
};

}  // namespace frugal::tgn
