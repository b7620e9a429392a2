// Stands in for libcore/system/cpu.cpp: this machine as it is, and AMX with it.
#include "libcore/system/cpu.h"

namespace frugal {

std::string_view simd_name(SimdLevel level) {
  constexpr std::string_view kNames[] = {"v2", "v3", "v4", "v4bf16", "amx", "neon", "sve"};
  return kNames[static_cast<int>(level)];
}

std::optional<SimdLevel> simd_from_name(std::string_view name) {
  for (int level = 0; level <= static_cast<int>(SimdLevel::sve); ++level) {
    if (simd_name(static_cast<SimdLevel>(level)) == name) return static_cast<SimdLevel>(level);
  }
  return std::nullopt;
}

const std::vector<SimdSupport>& simd_support() {
  static const std::vector<SimdSupport> support = [] {
    std::vector<SimdSupport> levels = detect_simd_support();
    for (SimdSupport& level : levels) level.usable = level.usable || level.level == SimdLevel::amx;
    return levels;
  }();
  return support;
}

bool simd_usable(SimdLevel level) {
  for (const SimdSupport& support : simd_support()) {
    if (support.level == level) return support.usable;
  }
  return false;
}

}  // namespace frugal
