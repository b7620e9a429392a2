#pragma once
#include <memory>
#include <string>

#include "libcore/streams/regular_file.h"
#include "libcore/system/mapped_memory.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// A document of an uncompressed file (*.safetensors), its tensors where they lie in the file: more
/// of them than there is memory can be used. The file must not change while the object lives, but
/// another one may take its name; its tensors must not outlive it.
class MappedDocument {
 public:
  /// Nothing where the file cannot be mapped: compressed, several documents, packed tensors, and
  /// pipes. Fails as TensorReader where it is damaged.
  static std::unique_ptr<MappedDocument> open(const std::string& path,
                                              const TensorLimits& limits = {});

  const DocumentInfo& info() const { return info_; }
  /// Lent from the mapping; where another program put elements at odd addresses, an owned copy.
  Tensor tensor(const TensorInfo& info) const;
  /// An owned copy on huge pages, read by all threads.
  Tensor load(const TensorInfo& info) const;
  /// Bytes [begin, begin + size) of the tensor, without mapping them: they are not counted as this
  /// process's memory.
  void read(const TensorInfo& info, std::uint64_t begin, std::byte* to, std::uint64_t size) const;
  /// Reads of the tensor will be scattered: the system reads no neighbouring pages with them.
  void expect_random_reads(const TensorInfo& info) const;

 private:
  MappedDocument(int descriptor, const std::string& path, DocumentInfo info,
                 std::uint64_t data_begin);

  RegularFile file_;
  MappedMemory memory_;
  DocumentInfo info_;
  std::uint64_t data_begin_;
};

}  // namespace frugal
