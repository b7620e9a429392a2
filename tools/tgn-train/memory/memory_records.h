#pragma once
#include <span>

#include "libcore/graph/csr.h"
#include "libcore/tensors/tensor.h"
#include "tools/tgn-train/network/step_plan.h"

namespace frugal::tgn {

struct NodeMemoryShape {
  std::size_t nodes = 0;
  std::size_t state_dim = 0;
  std::size_t message_dim = 0;  ///< 0: no messages are kept
  Dtype dtype = Dtype::f32;     ///< or bf16: numbers are rounded to it when they are stored
};

/// Where steps find the records of nodes and leave new ones.
class MemoryRecords {
 public:
  virtual ~MemoryRecords() = default;

  virtual const NodeMemoryShape& shape() const = 0;
  /// A step will read these.
  virtual void expect(std::span<const MemoryLoad>) {}
  /// Copies a part of a node's record to out, [state_dim] or [message_dim].
  virtual void read(NodeId node, MemoryPart part, float* out) const = 0;
  /// message: [message_dim], or null: what is kept of it stays.
  virtual void write(NodeId node, const float* state, const float* message) = 0;
  /// Fetches the record into the cache.
  virtual void prefetch(NodeId node) const = 0;
};

}  // namespace frugal::tgn
