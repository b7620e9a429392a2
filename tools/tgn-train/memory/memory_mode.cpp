#include "tools/tgn-train/memory/memory_mode.h"

#include <algorithm>
#include <array>

#include "libcore/base/error.h"

namespace frugal::tgn {
namespace {

constexpr std::array<std::string_view, 3> kModes = {"window", "exact", "read"};
constexpr std::array<std::string_view, 2> kRefreshes = {"none", "touched"};
constexpr std::array<std::string_view, 2> kTies = {"strict", "order"};

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

Ties ties_from_name(std::string_view name) {
  const auto found = std::find(kTies.begin(), kTies.end(), name);
  if (found == kTies.end()) {
    fail(ExitStatus::usage, "unknown ties '", name, "', expected strict or order");
  }
  return static_cast<Ties>(found - kTies.begin());
}

Ties ties_for(std::string_view ties, MemoryMode mode) {
  if (ties == "auto") return Ties::strict;
  if (mode != MemoryMode::window) {
    fail(ExitStatus::usage,
         "--ties goes with models of --memory window, expected none for one of --memory ",
         memory_mode_name(mode));
  }
  return ties_from_name(ties);
}

std::string_view memory_mode_name(MemoryMode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}
std::string_view refresh_name(RefreshKind kind) {
  return kRefreshes[static_cast<std::size_t>(kind)];
}
std::string_view ties_name(Ties ties) { return kTies[static_cast<std::size_t>(ties)]; }

}  // namespace frugal::tgn
