#pragma once
#include <map>
#include <memory>
#include <string>

#include "libcore/tensors/tensor_file.h"
#include "tools/tgn-train/memory/memory_shards.h"
#include "tools/tgn-train/memory/node_memory.h"

namespace frugal::tgn {

/// Memories that ranks share, as files have them: with the records of all nodes. They may be larger
/// than RAM, so they lie in mapped temporary files.
class WholeMemories {
 public:
  /// folder: of the files. shards: outlives the object.
  WholeMemories(const MemoryShards& shards, std::string folder)
      : shards_(shards), folder_(std::move(folder)) {}

  /// With all ranks: the first one gets the records of all, in the place of those that it had for
  /// the tensor of that name.
  void gather(const std::string& tensor, const NodeMemory& mine);
  /// Makes the document's tensors of these names whole; they are lent.
  void lend(Document& document) const;

  /// Room for a tensor that has all records such as this rank's.
  void make_room(const std::string& tensor, const NodeMemory& mine);
  /// Where tensors of a file can be read to.
  TensorPlaces places() const;
  /// Of a document with that tensor whole, if it has it, leaves this rank's records, which go to
  /// `mine` and are lent. Fails (bad_input) with `path` where it is another.
  void take_share(const std::string& tensor, Document& document, const std::string& path,
                  NodeMemory& mine) const;
  /// Gives all room back.
  void clear() { whole_.clear(); }

 private:
  const MemoryShards& shards_;
  std::string folder_;
  std::map<std::string, std::unique_ptr<NodeMemory>> whole_;
};

}  // namespace frugal::tgn
