#include "tools/tgn-train/memory/memory_place.h"

#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/system/temporary_file.h"

namespace frugal::tgn {
namespace {

std::string folder_beside(const std::string& output) {
  std::error_code ignored;
  const std::filesystem::path path(output);
  const auto status = std::filesystem::status(path, ignored);
  const bool special = exists(status) && !is_regular_file(status);
  if (output.empty() || output == "-" || special) return temporary_folder();
  return path.has_parent_path() ? path.parent_path().string() : ".";
}

}  // namespace

MemoryPlace memory_place(std::string_view tier, const std::string& file,
                         const std::string& output) {
  MemoryPlace place;
  place.tier = tier == "disk" ? MemoryTier::disk : MemoryTier::ram;
  if (place.tier == MemoryTier::ram && !file.empty()) {
    fail(ExitStatus::usage, "--memory-file goes with --memory-tier disk");
  }
  place.file = file;
  place.folder = file.empty() ? folder_beside(output) : folder_beside(file);
  return place;
}

}  // namespace frugal::tgn
