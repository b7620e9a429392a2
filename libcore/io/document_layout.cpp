#include "libcore/io/document_layout.h"

#include <algorithm>
#include <cstring>

#include "libcore/io/document_keys.h"
#include "libcore/io/safetensors_header.h"
#include "libcore/io/tensor_pack.h"

namespace frugal {
namespace {

/// Tensors from this size on begin a frame, so that their rows lie in frames of known place.
constexpr std::uint64_t kOwnFrameFrom = std::uint64_t{64} << 10;
/// Documents below this are one frame.
constexpr std::uint64_t kOneFrameBelow = std::uint64_t{256} << 10;

}  // namespace

std::size_t DocumentLayout::Piece::item_size() const {
  return packing == Packing::none ? frugal::item_size(tensor->dtype) : 1;
}

void DocumentLayout::Piece::copy(std::uint64_t offset, std::span<std::byte> to) const {
  if (data != nullptr) {
    std::memcpy(to.data(), data + offset, to.size());
  } else {
    pack_range(*tensor, packing, offset, to);
  }
}

DocumentLayout::DocumentLayout(const Document& document, Metadata metadata, bool pack) {
  std::vector<Piece> tensors;
  tensors.reserve(document.tensors.size());
  for (const Tensor& tensor : document.tensors) {
    const Packing packing = pack ? choose_packing(tensor) : Packing::none;
    const std::byte* const data = packing == Packing::none ? tensor.bytes.data() : nullptr;
    tensors.push_back({0, tensor.bytes.size(), data, &tensor, packing});
  }
  std::sort(tensors.begin(), tensors.end(), [](const Piece& a, const Piece& b) {
    const std::size_t left = a.item_size(), right = b.item_size();
    return left != right ? left > right : a.tensor->name < b.tensor->name;
  });
  header_ = format_header(describe(tensors, std::move(metadata)));
  pieces_.push_back({0, header_.size(), reinterpret_cast<const std::byte*>(header_.data())});
  for (Piece& piece : tensors) {
    piece.begin = size();
    pieces_.push_back(piece);
  }
}

DocumentInfo DocumentLayout::describe(const std::vector<Piece>& tensors, Metadata metadata) {
  DocumentInfo info;
  std::uint64_t at = 0;
  for (const Piece& piece : tensors) {
    const Tensor& tensor = *piece.tensor;
    info.tensors.push_back(
        {tensor.name, tensor.dtype, tensor.shape, at, at + piece.size, piece.packing});
    at += piece.size;
  }
  std::string encoding = encoding_text(info);
  metadata.erase(kEncodingKey);
  if (!encoding.empty()) metadata[kEncodingKey] = std::move(encoding);
  info.metadata = std::move(metadata);
  for (TensorInfo& tensor : info.tensors) {
    if (tensor.packing == Packing::none) continue;
    tensor.shape.insert(tensor.shape.begin(), item_size(tensor.dtype));
    tensor.dtype = Dtype::u8;
  }
  return info;
}

std::vector<FrameRange> DocumentLayout::frames(std::uint64_t frame_size) const {
  if (size() < kOneFrameBelow && size() <= frame_size) return {{0, size()}};
  std::vector<FrameRange> ranges;
  std::uint64_t begin = 0;
  const auto cut_until = [&](std::uint64_t end) {
    for (; begin < end; begin = ranges.back().end) {
      ranges.push_back({begin, std::min(end, begin + frame_size)});
    }
  };
  for (const Piece& piece : pieces_) {
    if (piece.size >= kOwnFrameFrom) cut_until(piece.begin);
  }
  cut_until(size());
  return ranges;
}

std::span<const std::byte> DocumentLayout::bytes(FrameRange range, ByteBuffer& scratch) const {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), range.begin,
                                [](std::uint64_t at, const Piece& p) { return at < p.end(); });
  const auto size = static_cast<std::size_t>(range.end - range.begin);
  if (piece->data != nullptr && range.end <= piece->end()) {
    return {piece->data + (range.begin - piece->begin), size};
  }
  scratch.clear();
  for (std::uint64_t at = range.begin; at < range.end; ++piece) {
    const auto n = static_cast<std::size_t>(std::min(range.end, piece->end()) - at);
    if (n == 0) continue;
    piece->copy(at - piece->begin, {scratch.extend(n), n});
    at += n;
  }
  return scratch.bytes();
}

}  // namespace frugal
