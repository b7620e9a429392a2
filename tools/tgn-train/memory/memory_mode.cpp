#include "tools/tgn-train/memory/memory_mode.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"

namespace frugal {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"window", "exact", "read"};
constexpr std::array<std::string_view, 2> kRefreshes = {"none", "touched"};

}  // namespace

MemoryMode memory_mode_from_name(std::string_view name) {
  const auto found = std::find(kModes.begin(), kModes.end(), name);
  if (found == kModes.end()) {
    fail(ExitStatus::usage, "unknown memory mode '", name, "', expected window, exact or read");
  }
  return static_cast<MemoryMode>(found - kModes.begin());
}

RefreshKind refresh_from_name(std::string_view name) {
  const auto found = std::find(kRefreshes.begin(), kRefreshes.end(), name);
  if (found == kRefreshes.end()) {
    fail(ExitStatus::usage, "unknown refresh '", name, "', expected none or touched");
  }
  return static_cast<RefreshKind>(found - kRefreshes.begin());
}

std::string_view memory_mode_name(MemoryMode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}
std::string_view refresh_name(RefreshKind kind) {
  return kRefreshes[static_cast<std::size_t>(kind)];
}

}  // namespace frugal
