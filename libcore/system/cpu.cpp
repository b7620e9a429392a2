#include "libcore/system/cpu.h"

namespace frugal {
namespace {

struct NamedLevel {
  SimdLevel level;
  std::string_view name;
};
constexpr NamedLevel kLevels[] = {{SimdLevel::v2, "v2"},   {SimdLevel::v3, "v3"},
                                  {SimdLevel::v4, "v4"},   {SimdLevel::v4bf16, "v4bf16"},
                                  {SimdLevel::amx, "amx"}, {SimdLevel::neon, "neon"},
                                  {SimdLevel::sve, "sve"}};

}  // namespace

std::string_view simd_name(SimdLevel level) {
  for (const NamedLevel& known : kLevels) {
    if (known.level == level) return known.name;
  }
  return "";
}

std::optional<SimdLevel> simd_from_name(std::string_view name) {
  for (const NamedLevel& known : kLevels) {
    if (known.name == name) return known.level;
  }
  return std::nullopt;
}

const std::vector<SimdSupport>& simd_support() {
  static const std::vector<SimdSupport> support = detect_simd_support();
  return support;
}

bool simd_usable(SimdLevel level) {
  for (const SimdSupport& support : simd_support()) {
    if (support.level == level) return support.usable;
  }
  return false;
}

}  // namespace frugal
