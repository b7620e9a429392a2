#pragma once
#include <cstddef>
#include <cstdint>

namespace frugal {

/// CRC-32 as zip, gzip and PNG use it (ISO 3309: polynomial 0x04C11DB7, reflected), of `size` bytes
/// that follow bytes whose checksum is `before`.
std::uint32_t crc32(const void* data, std::size_t size, std::uint32_t before = 0);

}  // namespace frugal
