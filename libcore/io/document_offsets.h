#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/io/plain_stream.h"
#include "libcore/io/tensor_file.h"

namespace frugal {

/// The plain offsets of all documents, from an end document that fills the last frames of a regular
/// file and says that it was written at just this plain offset; nothing if there is none. That is
/// also proof that `index`, which the stream is using, has the plain sizes right. Moves the stream.
std::optional<std::vector<std::uint64_t>> find_document_offsets(PlainStream& stream,
                                                                const FrameIndex& index,
                                                                const TensorLimits& limits);

}  // namespace frugal
