#pragma once
#include <memory>
#include <string>

#include "libcore/streams/regular_file.h"
#include "libcore/system/mapped_memory.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// A document of an uncompressed file (*.safetensors), whose tensors are views of the mapped file,
/// so that they may exceed memory. The file must not change while the object lives, but another
/// file may take its name. Tensors must not outlive the object.
class MappedDocument {
 public:
  /// Maps a file. Nothing if it cannot be mapped: it is compressed, a pipe, or has several
  /// documents or packed tensors. Fails as TensorReader does if it is damaged.
  static std::unique_ptr<MappedDocument> open(const std::string& path,
                                              const TensorLimits& limits = {});

  const DocumentInfo& info() const { return info_; }
  /// A view of the mapping; an owned copy if the elements are not aligned, as some programs write
  /// them.
  Tensor tensor(const TensorInfo& info) const;
  /// The whole document as such views.
  Document document() const;
  /// An owned copy in huge pages, read by all threads.
  Tensor load(const TensorInfo& info) const;
  /// Reads bytes [begin, begin + size) of the tensor without mapping them, so that they do not
  /// count as this process's memory.
  void read(const TensorInfo& info, std::uint64_t begin, std::byte* to, std::uint64_t size) const;
  /// Advises that reads of the tensor are scattered: the system then reads no neighbouring pages.
  void expect_random_reads(const TensorInfo& info) const;
  /// Advises that all tensors are read from their beginning to their end.
  void expect_reads_in_order() const;

 private:
  MappedDocument(int descriptor, const std::string& path, DocumentInfo info,
                 std::uint64_t data_begin);

  RegularFile file_;
  MappedMemory memory_;
  DocumentInfo info_;
  std::uint64_t data_begin_;
};

/// A document whose tensors are views of its mapped file where that can be mapped, and in memory
/// else.
struct OpenDocument {
  std::unique_ptr<const MappedDocument> mapping;  ///< null: the tensors own their elements
  Document document;
};

/// Opens the only document of a file. Fails as read_document() does.
OpenDocument open_document(const std::string& path);

}  // namespace frugal
