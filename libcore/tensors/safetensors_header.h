#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// The JSON header of a safetensors document. The parser is stricter than the reference: duplicate
/// names and keys, unknown fields, holes, overlaps and what exceeds the limits are refused. Its
/// errors are bad_input (65) and begin with `place`.

/// Longest header that any reader accepts, whatever its limits.
inline constexpr std::uint64_t kMaxHeader = 100'000'000;

/// Parses a header. Tensors come in the order of their data; sizes agree with shapes, and the data
/// have neither gaps nor overlaps.
DocumentInfo parse_header(std::string_view json, const TensorLimits& limits,
                          const std::string& place);

/// Formats a header: its length in 8 bytes, then JSON, padded with spaces to a multiple of 64
/// bytes.
std::string format_header(const DocumentInfo& info);

/// Total size of all tensors in bytes.
std::uint64_t data_size(const DocumentInfo& info);

/// Fails (bad_input) unless a reader with these limits accepts the document: names, ranks, UTF-8.
void check_writable(const Document& document, const TensorLimits& limits, const std::string& place);
void check_writable(const DocumentInfo& info, const TensorLimits& limits, const std::string& place);

}  // namespace frugal
