#pragma once
#include <cstdint>

namespace frugal::zip {

/// Numbers of the zip format that reader and writer share (PKWARE APPNOTE 6.3, section 4.3).
inline constexpr std::uint32_t kLocalMagic = 0x04034b50;
inline constexpr std::uint32_t kEntryMagic = 0x02014b50;
inline constexpr std::uint32_t kEndMagic = 0x06054b50;
inline constexpr std::uint32_t kEnd64Magic = 0x06064b50;
inline constexpr std::uint32_t kEnd64LocatorMagic = 0x07064b50;
inline constexpr std::uint64_t kEnd64Bytes = 56;
/// In a 32-bit field: the value is in the zip64 field.
inline constexpr std::uint32_t kIn64 = 0xffffffff;
inline constexpr std::uint16_t kCountIn64 = 0xffff;
inline constexpr std::uint16_t kZip64Field = 1;

}  // namespace frugal::zip
