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

/// Undo log: the records of nodes as they were before they were first overwritten. Its size grows
/// with the number of changed nodes. It is kept in RAM or in a temporary file.
class RecordJournal {
 public:
  /// folder: of the temporary file; "" = in RAM. Fails as TemporaryFile.
  RecordJournal(std::size_t nodes, std::size_t record_bytes, const std::string& folder);

  /// Copies the record, [record_bytes], unless the node already has one in the log.
  void keep(NodeId node, const std::byte* record);
  /// Restores all logged records in `records`.
  void write_back(std::byte* records);

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::size_t chunk_records() const { return 1 + kChunk / record_bytes_; }

  std::size_t record_bytes_;
  std::vector<bool> has_;      ///< [nodes]
  std::vector<NodeId> nodes_;  ///< nodes of the logged records, in order
  std::vector<Array<std::byte>> chunks_;
  std::unique_ptr<TemporaryFile> file_;
};

/// The memory of all nodes between steps: for each node a state and, behind it, the last message. A
/// record is a whole number of cache lines. The records are in RAM or in a mapped file, and are
/// zero at first.
class NodeMemory final : public MemoryRecords {
 public:
  /// Fails (unavailable, io_error, cannot_create) if there is not enough room at `place`.
  explicit NodeMemory(const NodeMemoryShape& shape, MemoryPlace place = {});

  /// The present shape: without messages between drop_messages() and lay_out().
  const NodeMemoryShape& shape() const override { return shape_; }
  /// Sets all records to zero.
  void reset();
  /// Removes the messages and keeps the states; records become shorter.
  void drop_messages();
  /// Makes records with or without messages. If that changes their size, all records are set to
  /// zero.
  void lay_out(bool with_messages);
  void read(NodeId node, MemoryPart part, float* out) const override;
  void write(NodeId node, const float* state, const float* message) override;
  void prefetch(NodeId node) const override;
  // Whole records, [record_bytes()]: those of this memory, or records of its shape in other
  // buffers.
  const std::byte* record(NodeId node) const { return data_ + node * stride_; }
  void write_record(NodeId node, const std::byte* record);
  void read_of(const std::byte* record, MemoryPart part, float* out) const;
  void write_to(std::byte* record, const float* state, const float* message) const;
  /// Raises the number of nodes; new records are zero. Requires memory in RAM whose messages were
  /// not dropped.
  void grow(std::size_t nodes);
  /// Starts reading the records of the loads from disk and returns. Does nothing for memory in RAM.
  void prefetch_loads(std::span<const MemoryLoad> loads) const;

  /// From now on logs each record before it is overwritten, in the memory's tier (RAM or disk).
  void begin_undo();
  /// Restores all records as they were at begin_undo().
  void undo();

  /// All records, for files: for each node the state, then the message, each padded to whole cache
  /// lines.
  std::span<std::byte> bytes() { return {data_, num_bytes()}; }
  std::span<const std::byte> bytes() const { return {data_, num_bytes()}; }
  /// Bytes of a node's record, a multiple of the cache line.
  std::size_t record_bytes() const { return stride_; }
  /// Bytes of a record without its message, a multiple of the cache line.
  std::size_t state_bytes() const { return message_begin_; }
  /// True if all numbers of the first nodes are finite. Checks records read from a file.
  bool is_finite(std::size_t nodes) const;

 private:
  std::size_t num_bytes() const { return shape_.nodes * stride_; }
  void set_message_dim(std::size_t dim);
  void put(const float* from, std::size_t n, std::byte* to) const;

  NodeMemoryShape shape_;
  std::size_t message_dim_;  ///< message size when messages are stored
  MemoryPlace place_;
  std::size_t message_begin_, stride_ = 0;  ///< bytes
  Array<std::byte> in_memory_;
  std::shared_ptr<MappedMemory> on_disk_;
  std::byte* data_ = nullptr;
  std::unique_ptr<RecordJournal> journal_;  ///< null except between begin_undo() and undo()
};

}  // namespace frugal::tgn
