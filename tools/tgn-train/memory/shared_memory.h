#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "tools/tgn-train/memory/memory_shards.h"
#include "tools/tgn-train/memory/node_memory.h"

namespace frugal::tgn {

/// One memory of nodes that ranks share: each has the records of its shards, and those of others
/// while a step reads them. Either all ranks work on the same step, where each reads all and keeps
/// what is its own, or each on its parts of one, between begin_parts() and end_parts().
class SharedMemory final : public MemoryRecords {
 public:
  /// mine: the records of this rank's nodes. Both outlive the object.
  SharedMemory(const MemoryShards& shards, NodeMemory& mine) : shards_(shards), mine_(mine) {}

  const MemoryShards& shards() const { return shards_; }
  const NodeMemoryShape& shape() const override { return mine_.shape(); }
  /// Of a step of all ranks: brings the records, with all of them.
  void expect(std::span<const MemoryLoad> loads) override;
  void read(NodeId node, MemoryPart part, float* out) const override;
  void write(NodeId node, const float* state, const float* message) override;
  void prefetch(NodeId node) const override;

  /// parts: all of a step, [shards], of which each rank has those of its shards. With all ranks:
  /// brings what this rank's read. Until end_parts() memory stays as it was.
  void begin_parts(std::span<const StepPlan> parts);
  /// With all ranks, behind the stores of this rank's parts in their order: brings them to their
  /// owners.
  void end_parts(std::span<const StepPlan> parts);
  /// Calls visit(begin, end) for pages of this rank's nodes, while steps read and write no others.
  template <class Visit>
  void each_own_page(const Visit& visit) {
    work_ = Work::alone;
    shards_.each_page(shards_.ranks().rank(), visit);
    work_ = Work::together;
  }

 private:
  /// Who else works on the step.
  enum class Work { together, parts, alone };
  using Letters = std::vector<std::vector<std::byte>>;

  Letters letters() const { return Letters(static_cast<std::size_t>(shards_.ranks().size())); }
  std::span<const StepPlan> parts_of(std::span<const StepPlan> parts, int rank) const;
  void want(int rank, std::span<const MemoryLoad> loads, std::vector<NodeId>& nodes) const;
  void bring(std::vector<std::vector<NodeId>> wanted);

  const MemoryShards& shards_;
  NodeMemory& mine_;
  Work work_ = Work::together;
  std::vector<NodeId> brought_nodes_;  ///< of other ranks, ascending
  std::vector<std::byte> brought_;     ///< their records
  std::vector<std::byte> written_;     ///< by this rank's parts
};

}  // namespace frugal::tgn
