#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/system/mapped_memory.h"
#include "libcore/system/temporary_file.h"
#include "tools/tgn-train/memory/memory_options.h"
#include "tools/tgn-train/memory/memory_records.h"

namespace frugal::tgn {

/// Records of nodes as they were before they were overwritten, each node's once. Takes room for
/// what is changed, not for all that there is: in memory, or in a temporary file.
class RecordJournal {
 public:
  /// folder: of the temporary file; "" = in memory. Errors: those of TemporaryFile.
  RecordJournal(std::size_t nodes, std::size_t record_bytes, const std::string& folder);

  /// record: [record_bytes], kept unless the node has one.
  void keep(NodeId node, const std::byte* record);
  /// Writes all of them over the nodes' records in `records`.
  void write_back(std::byte* records);

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::size_t chunk_records() const { return 1 + kChunk / record_bytes_; }

  std::size_t record_bytes_;
  std::vector<bool> has_;      ///< [nodes]
  std::vector<NodeId> nodes_;  ///< of the records
  std::vector<Array<std::byte>> chunks_;
  std::unique_ptr<TemporaryFile> file_;
};

/// What is kept of all nodes from step to step: the state and, behind it, the last message of each,
/// in one record of whole cache lines, in memory or in a mapped file. All zero at first.
class NodeMemory final : public MemoryRecords {
 public:
  /// Fails (unavailable, io_error, cannot_create) where there is no room at that place.
  explicit NodeMemory(const NodeMemoryShape& shape, MemoryPlace place = {});

  /// The present one: without messages between drop_messages() and lay_out().
  const NodeMemoryShape& shape() const override { return shape_; }
  /// All zero again.
  void reset();
  /// States stay; from now on there is no room for messages, and records are shorter.
  void drop_messages();
  /// Records have room for messages again, or none; where that is new, all is zero.
  void lay_out(bool with_messages);
  void read(NodeId node, MemoryPart part, float* out) const override;
  void write(NodeId node, const float* state, const float* message) override;
  void prefetch(NodeId node) const override;
  // Whole records, [record_bytes()], here or of this shape elsewhere.
  const std::byte* record(NodeId node) const { return data_ + node * stride_; }
  void write_record(NodeId node, const std::byte* record);
  void read_of(const std::byte* record, MemoryPart part, float* out) const;
  void write_to(std::byte* record, const float* state, const float* message) const;
  /// From now on there are so many nodes, not fewer than before; new ones are all zero. Only of
  /// memory in RAM whose messages were not dropped.
  void grow(std::size_t nodes);
  /// Begins to read the records of nodes from disk, where memory lies there, and returns.
  void prefetch_loads(std::span<const MemoryLoad> loads) const;

  /// From now on keeps what write() overwrites, at the same place as the memory.
  void begin_undo();
  /// All is as it was at begin_undo().
  void undo();

  /// All records, for files: of each the numbers of the state, then of the message, each up to
  /// whole cache lines.
  std::span<std::byte> bytes() { return {data_, num_bytes()}; }
  std::span<const std::byte> bytes() const { return {data_, num_bytes()}; }
  /// Of a node: of whole cache lines.
  std::size_t record_bytes() const { return stride_; }
  /// Of one without messages.
  std::size_t state_bytes() const { return message_begin_; }
  /// Whether all numbers of the first nodes are finite: not a matter of course for what was read.
  bool is_finite(std::size_t nodes) const;

 private:
  std::size_t num_bytes() const { return shape_.nodes * stride_; }
  void set_message_dim(std::size_t dim);
  void put(const float* from, std::size_t n, std::byte* to) const;

  NodeMemoryShape shape_;
  std::size_t message_dim_;  ///< of records that have room for messages
  MemoryPlace place_;
  std::size_t message_begin_, stride_ = 0;  ///< bytes
  Array<std::byte> in_memory_;
  std::shared_ptr<MappedMemory> on_disk_;
  std::byte* data_ = nullptr;
  std::unique_ptr<RecordJournal> journal_;  ///< null but between begin_undo() and undo()
};

}  // namespace frugal::tgn
