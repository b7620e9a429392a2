#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/streams/zstd_frames.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Plain bytes [begin, end) of a document.
struct FrameRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A document as it will be stored: the header, then the tensors by descending item size, then by
/// name.
class DocumentLayout {
 public:
  /// Borrows the tensors; packs them on the fly.
  DocumentLayout(const Document& document, Metadata metadata, bool pack);
  /// Describes tensors whose data the caller makes: bytes() then covers the header only.
  DocumentLayout(const std::vector<TensorInfo>& tensors, Metadata metadata);
  DocumentLayout(const DocumentLayout&) = delete;
  DocumentLayout& operator=(const DocumentLayout&) = delete;

  std::uint64_t size() const { return pieces_.back().end(); }
  std::uint64_t header_size() const { return header_.size(); }
  /// Descriptions of the tensors as stored (packed ones are U8), in the order of their data.
  const std::vector<TensorInfo>& tensors() const { return stored_.tensors; }

  /// Divides the document into frames. One frame if it is below 256 KiB; else frames of at most
  /// frame_size, with a new frame at each tensor of 64 KiB or more.
  std::vector<FrameRange> frames(std::uint64_t frame_size) const;

  /// Bytes of a range: a view if they are contiguous in memory, else gathered in scratch.
  /// Thread-safe.
  std::span<const std::byte> bytes(FrameRange range, ByteBuffer& scratch) const;

 private:
  /// The header, or a tensor as it is stored.
  struct Piece {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    /// Null if the bytes are packed on the fly or made by the caller.
    const std::byte* data = nullptr;
    const Tensor* tensor = nullptr;  ///< to be packed
    Packing packing = Packing::none;

    std::uint64_t end() const { return begin + size; }
    void copy(std::uint64_t offset, std::span<std::byte> to) const;
  };
  struct Entry {
    TensorInfo info;
    const Tensor* tensor = nullptr;  ///< null if the bytes are made by the caller
  };
  void lay_out(std::vector<Entry> entries, Metadata metadata);
  void describe(const std::vector<Entry>& entries, Metadata metadata);

  std::string header_;
  DocumentInfo stored_;
  std::vector<Piece> pieces_;
};

}  // namespace frugal
