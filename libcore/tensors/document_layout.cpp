#include "libcore/tensors/document_layout.h"

#include <algorithm>
#include <cstring>

#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/safetensors_header.h"
#include "libcore/tensors/tensor_pack.h"

namespace frugal {
namespace {

/// Tensors from this size on begin a frame, so that their rows lie in frames of known place.
constexpr std::uint64_t kOwnFrameFrom = std::uint64_t{64} << 10;
/// Documents below this are one frame.
constexpr std::uint64_t kOneFrameBelow = std::uint64_t{256} << 10;

std::size_t stored_item_size(const TensorInfo& tensor) {
  return tensor.packing == Packing::none ? item_size(tensor.dtype) : 1;
}

}  // namespace

void DocumentLayout::Piece::copy(std::uint64_t offset, std::span<std::byte> to) const {
  if (data != nullptr) {
    std::memcpy(to.data(), data + offset, to.size());
  } else {
    pack_range(*tensor, packing, offset, to);
  }
}

DocumentLayout::DocumentLayout(const Document& document, Metadata metadata, bool pack) {
  std::vector<Entry> entries;
  entries.reserve(document.tensors.size());
  for (const Tensor& tensor : document.tensors) {
    const Packing packing = pack ? choose_packing(tensor) : Packing::none;
    entries.push_back({{tensor.name, tensor.dtype, tensor.shape, 0, 0, packing}, &tensor});
  }
  lay_out(std::move(entries), std::move(metadata));
}

DocumentLayout::DocumentLayout(const std::vector<TensorInfo>& tensors, Metadata metadata) {
  std::vector<Entry> entries;
  entries.reserve(tensors.size());
  for (const TensorInfo& tensor : tensors) {
    entries.push_back({{tensor.name, tensor.dtype, tensor.shape}, nullptr});
  }
  lay_out(std::move(entries), std::move(metadata));
}

void DocumentLayout::lay_out(std::vector<Entry> entries, Metadata metadata) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    const std::size_t left = stored_item_size(a.info), right = stored_item_size(b.info);
    return left != right ? left > right : a.info.name < b.info.name;
  });
  describe(entries, std::move(metadata));
  header_ = format_header(stored_);
  pieces_.push_back({0, header_.size(), reinterpret_cast<const std::byte*>(header_.data())});
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    const bool as_is = entry.tensor != nullptr && entry.info.packing == Packing::none;
    const TensorInfo& stored = stored_.tensors[i];
    pieces_.push_back({size(), stored.end - stored.begin,
                       as_is ? entry.tensor->content().data() : nullptr, entry.tensor,
                       entry.info.packing});
  }
}

void DocumentLayout::describe(const std::vector<Entry>& entries, Metadata metadata) {
  std::uint64_t at = 0;
  for (const Entry& entry : entries) {
    TensorInfo& tensor = stored_.tensors.emplace_back(entry.info);
    tensor.begin = at;
    at += size_in_bytes(tensor.dtype, tensor.shape);
    tensor.end = at;
  }
  std::string encoding = encoding_text(stored_);
  metadata.erase(kEncodingKey);
  if (!encoding.empty()) metadata[kEncodingKey] = std::move(encoding);
  stored_.metadata = std::move(metadata);
  for (TensorInfo& tensor : stored_.tensors) {
    if (tensor.packing == Packing::none) continue;
    tensor.shape.insert(tensor.shape.begin(), item_size(tensor.dtype));
    tensor.dtype = Dtype::u8;
  }
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
