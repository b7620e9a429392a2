#pragma once
#include <cstddef>
#include <cstdint>

namespace frugal {

/// CRC-32 of zip, gzip and PNG (ISO 3309: polynomial 0x04C11DB7, reflected). `before` is the
/// checksum of the bytes before `data`, so that a long input can be passed in parts.
std::uint32_t crc32(const void* data, std::size_t size, std::uint32_t before = 0);

}  // namespace frugal
