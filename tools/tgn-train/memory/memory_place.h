#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace frugal::tgn {

enum class MemoryTier : std::uint8_t { ram, disk };
inline constexpr std::array<std::string_view, 2> kMemoryTierNames = {"ram", "disk"};

/// Where the memory of nodes lies while a command works.
struct MemoryPlace {
  MemoryTier tier = MemoryTier::ram;
  std::string file;    ///< on disk: a new file, which is gone with the process; "" = unnamed
  std::string folder;  ///< of an unnamed file
};

/// With its folder: the file lies beside `output`, else, where that is none or a pipe, in the
/// folder for temporary files.
MemoryPlace memory_place(MemoryPlace place, const std::string& output);

}  // namespace frugal::tgn
