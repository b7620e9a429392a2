#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tools/tgn-train/memory/memory_shards.h"
#include "tools/tgn-train/memory/node_memory.h"

namespace frugal::tgn {

/// One memory of nodes that ranks share. Each rank keeps the records of its shards, and copies of
/// others while a step reads them. Either all ranks compute the same step, where each reads all
/// records and stores its own. Or, between begin_parts() and end_parts(), each rank computes its
/// parts of the step.
class SharedMemory final : public MemoryRecords {
 public:
  /// mine: the records of this rank's nodes. Both must outlive the object.
  SharedMemory(const MemoryShards& shards, NodeMemory& mine) : shards_(shards), mine_(mine) {}

  const MemoryShards& shards() const { return shards_; }
  const NodeMemoryShape& shape() const override { return mine_.shape(); }
  /// Collective, if all ranks compute the same step: fetches other ranks' records that it reads.
  /// Does nothing between begin_parts() and end_parts().
  void expect(std::span<const MemoryLoad> loads) override;
  void read(NodeId node, MemoryPart part, float* out) const override;
  void write(NodeId node, const float* state, const float* message) override;
  void prefetch(NodeId node) const override;

  /// Collective: fetches the records that this rank's parts read. parts: all parts of the step, one
  /// for each shard; each rank computes those of its shards. The memory does not change until
  /// end_parts().
  void begin_parts(std::span<const StepPlan> parts);
  /// Collective, after this rank's parts have stored their records, part by part: sends each record
  /// to the owner of its node.
  void end_parts(std::span<const StepPlan> parts);
  /// Calls visit(begin, end) for each page of this rank's nodes. Steps in visit() may read and
  /// write only the rank's own nodes, and do not communicate.
  template <class Visit>
  void each_own_page(const Visit& visit) {
    work_ = Work::alone;
    shards_.each_page(shards_.ranks().rank(), visit);
    work_ = Work::together;
  }

 private:
  /// How the ranks share the present step: all compute all of it, parts of it, or steps of their
  /// own.
  enum class Work { together, parts, alone };
  using Letters = std::vector<std::vector<std::byte>>;

  Letters letters() const { return Letters(static_cast<std::size_t>(shards_.ranks().size())); }
  std::span<const StepPlan> parts_of(std::span<const StepPlan> parts, int rank) const;
  void want(int rank, std::span<const MemoryLoad> loads, std::vector<NodeId>& nodes) const;
  void bring(std::vector<std::vector<NodeId>> wanted);

  const MemoryShards& shards_;
  NodeMemory& mine_;
  Work work_ = Work::together;
  std::vector<NodeId> brought_nodes_;  ///< nodes of other ranks, ascending
  std::vector<std::byte> brought_;     ///< their records
  std::vector<std::byte> written_;     ///< new records of this rank's parts
};

}  // namespace frugal::tgn
