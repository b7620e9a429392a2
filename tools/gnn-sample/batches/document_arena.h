#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::gnn {

/// Memory in which documents are made, one after the other. It is reused, so that in the steady
/// state nothing is allocated. Tensors stay in place until clear().
class DocumentArena {
 public:
  DocumentArena() = default;
  DocumentArena(const DocumentArena&) = delete;
  DocumentArena& operator=(const DocumentArena&) = delete;
  virtual ~DocumentArena() = default;

  Document& document() { return document_; }
  /// Adds an uninitialised tensor, aligned to 64 bytes. The reference is valid until the next call.
  Tensor& add(std::string name, Dtype dtype, Shape shape);
  /// Uninitialised memory, aligned to 64 bytes.
  std::byte* take(std::size_t bytes);
  /// True if take(bytes) needs no further block.
  bool has_room(std::size_t bytes) const { return bytes <= left_; }
  /// Begins an empty document.
  void clear();

 protected:
  /// Bytes of all blocks.
  std::size_t size() const { return size_; }

 private:
  /// Adds bytes [offset, offset + size) of the arena, aligned to 64.
  virtual std::byte* add_block(std::size_t offset, std::size_t size) = 0;
  virtual void drop_blocks() = 0;

  Document document_;
  std::byte* first_ = nullptr;  ///< first block
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;  ///< bytes at next_
  std::size_t size_ = 0;
  std::size_t blocks_ = 0;
};

/// An arena in this program's own memory.
class OwnArena : public DocumentArena {
  std::byte* add_block(std::size_t offset, std::size_t size) override;
  void drop_blocks() override { blocks_.clear(); }

  std::vector<Array<std::byte>> blocks_;
};

}  // namespace frugal::gnn
