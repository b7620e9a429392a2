#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/io/tensor_file.h"
#include "libcore/io/zstd_frames.h"

namespace frugal {

/// Plain bytes [begin, end) of a document.
struct FrameRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A document as it will be stored: the header, then the tensors by item size descending, then
/// name. Borrows the tensors; packs them on the fly.
class DocumentLayout {
 public:
  DocumentLayout(const Document& document, Metadata metadata, bool pack);
  DocumentLayout(const DocumentLayout&) = delete;
  DocumentLayout& operator=(const DocumentLayout&) = delete;

  std::uint64_t size() const { return pieces_.back().end(); }
  std::uint64_t header_size() const { return header_.size(); }

  /// One frame for a document below 256 KiB; else frames of at most frame_size, of which one begins
  /// at each tensor of 64 KiB or more.
  std::vector<FrameRange> frames(std::uint64_t frame_size) const;

  /// The bytes of a range: where they are, if they lie together, else gathered in scratch.
  /// Thread-safe.
  std::span<const std::byte> bytes(FrameRange range, ByteBuffer& scratch) const;

 private:
  /// The header, or a tensor as it is stored.
  struct Piece {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    const std::byte* data = nullptr;  ///< null for packed tensors
    const Tensor* tensor = nullptr;
    Packing packing = Packing::none;

    std::uint64_t end() const { return begin + size; }
    std::size_t item_size() const;
    void copy(std::uint64_t offset, std::span<std::byte> to) const;
  };
  static DocumentInfo describe(const std::vector<Piece>& tensors, Metadata metadata);

  std::string header_;
  std::vector<Piece> pieces_;
};

}  // namespace frugal
