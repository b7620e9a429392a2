#include "tools/tgn-train/memory/memory_options.h"

#include <algorithm>
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

MemoryPlace memory_place(MemoryPlace place, const std::string& output) {
  place.folder = folder_beside(place.file.empty() ? output : place.file);
  return place;
}

MemoryMode memory_mode_from_name(std::string_view name) {
  const auto found = std::find(kMemoryModeNames.begin(), kMemoryModeNames.end(), name);
  if (found == kMemoryModeNames.end()) {
    fail(ExitStatus::usage, "unknown memory mode '", name, "', expected window, exact or read");
  }
  return static_cast<MemoryMode>(found - kMemoryModeNames.begin());
}

Ties ties_for(std::string_view ties, MemoryMode mode) {
  if (ties == "auto") return Ties::strict;
  if (mode != MemoryMode::window) {
    fail(ExitStatus::usage,
         "--ties goes with models of --memory window, expected none for one of --memory ",
         memory_mode_name(mode));
  }
  return ties == "order" ? Ties::order : Ties::strict;
}

std::string_view memory_mode_name(MemoryMode mode) {
  return kMemoryModeNames[static_cast<std::size_t>(mode)];
}

}  // namespace frugal::tgn
