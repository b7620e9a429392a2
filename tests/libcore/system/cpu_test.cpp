#include "libcore/system/cpu.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace frugal;

namespace {

/// The flags that the kernel shows for the first CPU, with a space before and behind each.
std::string kernel_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) {
      return line.substr(line.find(':') + 1) + " ";
    }
  }
  return "";
}

}  // namespace

TEST_CASE("every level has a name that reads back") {
  for (const char* name : {"v2", "v3", "v4", "v4bf16", "amx", "neon", "sve"}) {
    const auto level = simd_from_name(name);
    REQUIRE(level.has_value());
    CHECK(simd_name(*level) == name);
  }
  CHECK_FALSE(simd_from_name("avx2").has_value());
  CHECK_FALSE(simd_from_name("").has_value());
}

TEST_CASE("the baseline is usable, every level has a reason, and a level contains the lower ones") {
  const auto& support = simd_support();
  REQUIRE_FALSE(support.empty());
  CHECK(support.front().usable);
  bool lower_usable = true;
  for (const SimdSupport& level : support) {
    CAPTURE(simd_name(level.level));
    CHECK_FALSE(level.reason.empty());
    CHECK((lower_usable || !level.usable));
    CHECK(simd_usable(level.level) == level.usable);
    lower_usable = level.usable;
  }
  CHECK(&simd_support() == &support);
}

TEST_CASE("levels agree with the flags that the kernel shows") {
  const std::string flags = kernel_flags();
  REQUIRE_FALSE(flags.empty());
  const auto shown = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
#if defined(__x86_64__)
  CHECK(simd_usable(SimdLevel::v3) == (shown(" avx2 ") && shown(" fma ") && shown(" bmi2 ")));
  CHECK(simd_usable(SimdLevel::v4) == (shown(" avx512f ") && shown(" avx512vl ")));
  CHECK(simd_usable(SimdLevel::v4bf16) == (simd_usable(SimdLevel::v4) && shown(" avx512_bf16 ")));
  CHECK(bf16_dots_are_fast() ==
        (simd_usable(SimdLevel::v4bf16) && shown(" sse4a ")));  // only AMD has had that
  if (!shown(" amx_tile ")) CHECK_FALSE(simd_usable(SimdLevel::amx));
  CHECK_FALSE(simd_usable(SimdLevel::neon));
#else
  CHECK(simd_usable(SimdLevel::sve) == shown(" sve "));
  CHECK_FALSE(simd_usable(SimdLevel::v2));
#endif
}

TEST_CASE("the processor has a name") { CHECK(cpu_model().size() > 10); }
