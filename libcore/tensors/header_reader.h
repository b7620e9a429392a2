#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/streams/plain_stream.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Plain offsets of all documents, as listed in an end document at the end of a regular file.
/// Nothing if there is no such document, or if it states another plain offset than its own. A match
/// also proves that the plain sizes in `index`, which the stream is using, are right. Moves the
/// stream.
std::optional<std::vector<std::uint64_t>> find_document_offsets(PlainStream& stream,
                                                                const FrameIndex& index,
                                                                const TensorLimits& limits);

/// A document's header and where its data lies in the plain bytes of the input.
struct PlacedHeader {
  DocumentInfo info;  ///< as stored: packed tensors are U8
  std::uint64_t data_begin = 0;
  std::uint64_t data_end = 0;
};

/// Reads the header at the stream's position and leaves the stream at the data. Nothing if the
/// input ends earlier; `got` is then the number of bytes found of the first eight. Fails
/// (bad_input) with `place` if the header is damaged, exceeds the limits, or declares more than a
/// file of that size can hold.
std::optional<PlacedHeader> read_header(PlainStream& stream, const TensorLimits& limits,
                                        const std::string& place, std::size_t& got);

/// metadata[key] as a number, if it is one.
std::optional<std::uint64_t> metadata_number(const Metadata& metadata, const char* key);

/// Whether this is the end document of a stream.
bool is_end_document(const Metadata& metadata);

}  // namespace frugal
