#pragma once
#include <map>
#include <memory>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/memory/memory_shards.h"
#include "tools/tgn-train/memory/node_memory.h"

namespace frugal::tgn {

/// Shared memories in the layout of files: with the records of all nodes. They may be larger than
/// RAM, so they are kept in mapped temporary files.
class WholeMemories {
 public:
  /// folder: of the temporary files. shards: must outlive the object.
  WholeMemories(const MemoryShards& shards, std::string folder)
      : shards_(shards), folder_(std::move(folder)) {}

  /// Collective: the first rank receives all ranks' records and keeps them under the tensor's name,
  /// in place of older ones.
  void gather(const std::string& tensor, const NodeMemory& mine);
  /// Replaces the document's tensors of the kept names by the whole memories; they are lent.
  void lend(Document& document) const;

  /// Makes room for a tensor with the records of all nodes, in the shape of this rank's.
  void make_room(const std::string& tensor, const NodeMemory& mine);
  /// Buffers that tensors of a file can be read into.
  TensorPlaces places() const;
  /// If the document has that tensor, of all nodes: copies this rank's records to `mine`, and
  /// replaces the tensor by them (lent). Fails (bad_input) with `path` if its shape or type
  /// differs.
  void take_share(const std::string& tensor, Document& document, const std::string& path,
                  NodeMemory& mine) const;
  /// Releases all whole memories.
  void clear() { whole_.clear(); }

 private:
  const MemoryShards& shards_;
  std::string folder_;
  std::map<std::string, std::unique_ptr<NodeMemory>> whole_;
};

}  // namespace frugal::tgn
