#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/graph/csr.h"
#include "libcore/system/temporary_file.h"

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

}  // namespace frugal::tgn
