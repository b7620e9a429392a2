#include "libcore/tensors/header_reader.h"

#include <algorithm>
#include <span>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/streams/file_kind.h"
#include "libcore/streams/zstd_frames.h"
#include "libcore/tensors/document_keys.h"
#include "libcore/tensors/safetensors_header.h"

namespace frugal {
namespace {

using Offsets = std::vector<std::uint64_t>;

std::optional<Offsets> end_document_at(PlainStream& stream, const FrameIndex& index,
                                       const TensorLimits& limits, std::uint64_t begin) {
  std::size_t got = 0;
  if (!stream.seek(begin)) return std::nullopt;
  const auto header = read_header(stream, limits, "end document", got);
  if (!header || header->data_end != index.plain_size() ||
      !is_end_document(header->info.metadata) ||
      metadata_number(header->info.metadata, kOffsetKey) != begin) {
    return std::nullopt;
  }
  const TensorInfo* const info = header->info.find(kOffsetsTensor);
  if (info == nullptr || info->dtype != Dtype::u64 || info->shape.size() != 1) return std::nullopt;
  // Every document is a frame at least.
  if (info->shape[0] > index.size() || !stream.seek(header->data_begin + info->begin)) {
    return std::nullopt;
  }
  Offsets offsets(static_cast<std::size_t>(info->shape[0]));
  const std::size_t bytes = offsets.size() * sizeof(offsets[0]);
  if (stream.read(reinterpret_cast<std::byte*>(offsets.data()), bytes) < bytes) return std::nullopt;
  const bool good = std::all_of(offsets.begin(), offsets.end(), [&](std::uint64_t at) {
    return at < begin && index.is_boundary(at);
  });
  return good ? std::optional(std::move(offsets)) : std::nullopt;
}

}  // namespace

std::optional<Offsets> find_document_offsets(PlainStream& stream, const FrameIndex& index,
                                             const TensorLimits& limits) {
  // The end document has eight bytes for each document, in frames of 64 KiB at least.
  const std::size_t most = std::min(index.size(), 2 + index.size() * 8 / (std::size_t{64} << 10));
  for (std::size_t i = 0; i < most; ++i) {
    try {
      const std::uint64_t begin = index[index.size() - 1 - i].plain_begin;
      if (auto offsets = end_document_at(stream, index, limits, begin)) return offsets;
    } catch (const Error& error) {
      // Something else begins there: that is for reading in order to complain about, if at all.
      if (error.status() != ExitStatus::bad_input) throw;
    }
  }
  return std::nullopt;
}

namespace {

constexpr std::size_t kLengthBytes = 8;

/// zstd expands by kMaxExpansion at most, plain files not at all: what is declared beyond is a lie,
/// and no memory is asked for.
void check_declared(const PlainStream& stream, std::uint64_t bytes, const std::string& place) {
  const InputStream& input = stream.input();
  if (!input.is_regular() || bytes / kMaxExpansion <= input.size()) return;
  fail(ExitStatus::bad_input, place, " declares ", format_bytes(bytes), ", more than a file of ",
       format_bytes(input.size()), " can hold");
}

/// Whether bytes are text: none is a control character, or 255, which no text has.
bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0xff) || c == '\t' || c == '\n' || c == '\r';
  });
}

/// Fails where the stream is text, or a binary file of another kind; `begin` was read already.
void refuse_other_kind(PlainStream& stream, std::span<const std::byte> begin,
                       const std::string& place) {
  std::vector<std::byte> head(begin.begin(), begin.end());
  head.resize(4096);
  const std::size_t more = stream.read(head.data() + begin.size(), head.size() - begin.size());
  const std::string_view text(reinterpret_cast<const char*>(head.data()), begin.size() + more);
  if (is_text(text)) {
    fail(ExitStatus::bad_input, place,
         ": is text, expected a tensor file; import or convert makes one of a table");
  }
  const FileKind* kind = binary_kind(text);
  if (kind != nullptr) {
    fail(ExitStatus::bad_input, place, ": is ", kind->name,
         ", expected a tensor file; tensor-file convert makes one of .npy and .npz, which it reads "
         "by their path, not from a pipe");
  }
}

}  // namespace

std::optional<PlacedHeader> read_header(PlainStream& stream, const TensorLimits& limits,
                                        const std::string& place, std::size_t& got) {
  std::byte bytes[kLengthBytes];
  got = stream.read(bytes, kLengthBytes);
  if (got < kLengthBytes) return std::nullopt;
  const bool first = stream.position() == kLengthBytes;
  const std::uint64_t length = load_u32(bytes) | std::uint64_t{load_u32(bytes + 4)} << 32;
  const std::uint64_t most = std::min(limits.max_header, kMaxHeader);
  if (length > most) {
    if (first) refuse_other_kind(stream, bytes, place);
    fail(ExitStatus::bad_input, place, ": a header of ", length, " bytes, at most ", most,
         " are allowed", first ? "; is this a tensor file?" : "");
  }
  check_declared(stream, length, place);
  std::string json(static_cast<std::size_t>(length), '\0');
  if (stream.read(reinterpret_cast<std::byte*>(json.data()), json.size()) < json.size()) {
    return std::nullopt;
  }
  PlacedHeader header{parse_header(json, limits, place + ": header"), stream.position(), 0};
  check_declared(stream, data_size(header.info), place);
  header.data_end = header.data_begin + data_size(header.info);
  return header;
}

std::optional<std::uint64_t> metadata_number(const Metadata& metadata, const char* key) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  return parse_number<std::uint64_t>(found->second);
}

bool is_end_document(const Metadata& metadata) {
  const auto kind = metadata.find(kKindKey);
  return kind != metadata.end() && kind->second == kEndKind;
}

}  // namespace frugal
