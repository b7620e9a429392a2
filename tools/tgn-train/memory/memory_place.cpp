#include "tools/tgn-train/memory/memory_place.h"

#include <filesystem>

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

MemoryPlace memory_place(MemoryPlace place, const std::string& output) {
  place.folder = folder_beside(place.file.empty() ? output : place.file);
  return place;
}

}  // namespace frugal::tgn
