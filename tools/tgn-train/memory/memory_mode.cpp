#include "tools/tgn-train/memory/memory_mode.h"

#include <algorithm>

#include "libcore/base/error.h"

namespace frugal::tgn {
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
