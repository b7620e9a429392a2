#include "libcore/io/document_offsets.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/io/document_keys.h"
#include "libcore/io/header_reader.h"

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

}  // namespace frugal
