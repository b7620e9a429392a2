#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace frugal::tgn {

enum class MemoryTier : std::uint8_t { ram, disk };

/// Where the memory of nodes lies while a command works.
struct MemoryPlace {
  MemoryTier tier = MemoryTier::ram;
  std::string file;    ///< on disk: a new file, which is gone with the process; "" = unnamed
  std::string folder;  ///< of an unnamed file
};

/// What --memory-tier and --memory-file say: the file lies beside `output`, else, where that is
/// none or a pipe, in the folder for temporary files. Fails (usage) where a file is named and the
/// memory is not on disk.
MemoryPlace memory_place(std::string_view tier, const std::string& file, const std::string& output);

}  // namespace frugal::tgn
