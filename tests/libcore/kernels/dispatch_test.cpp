#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"

using namespace frugal;

namespace {

/// The message and status of set_simd(name), or "" and ok.
std::pair<std::string, ExitStatus> outcome(const char* name) {
  try {
    set_simd(name);
  } catch (const Error& error) {
    return {error.what(), error.status()};
  }
  return {"", ExitStatus::ok};
}

struct RestoreChoice {
  ~RestoreChoice() {
    unsetenv("FRUGAL_SIMD");
    set_simd("auto");
  }
};

#if defined(__x86_64__)
constexpr const char *kLowest = "v2", *kForeign = "neon";
#else
constexpr const char *kLowest = "neon", *kForeign = "v3";
#endif

}  // namespace

TEST_CASE("no entry of a table is null") {
  for (const SimdLevel level : available_simd_levels()) {
    const Kernels& k = *kernels_for(level);
    CAPTURE(simd_name(level));
    CHECK(k.level == level);
    CHECK(k.name == simd_name(level));
    // All entries after the name are function pointers of one size.
    const auto* begin = reinterpret_cast<const unsigned char*>(&k.dot);
    const auto* end = reinterpret_cast<const unsigned char*>(&k + 1);
    for (; begin != end; begin += sizeof k.dot) {
      void* entry = nullptr;
      std::memcpy(&entry, begin, sizeof entry);
      CHECK(entry != nullptr);
    }
  }
}

TEST_CASE("auto is the best level, and any available one can be named") {
  const RestoreChoice restore;
  set_simd("auto");
  CHECK(kernels().level == available_simd_levels().back());
  for (const SimdLevel level : available_simd_levels()) {
    set_simd(std::string(simd_name(level)).c_str());
    CHECK(kernels().level == level);
  }
}

#if defined(__x86_64__)
TEST_CASE("the names of x86-64's instructions are levels, too") {
  const RestoreChoice restore;
  set_simd("sse4.2");
  CHECK(kernels().level == SimdLevel::v2);
  CHECK(outcome("avx2").second == outcome("v3").second);
  CHECK(outcome("avx512").second == outcome("v4").second);
  if (!simd_usable(SimdLevel::v3)) return;
  set_simd("avx2");
  CHECK(kernels().level == SimdLevel::v3);
}
#endif

TEST_CASE("the environment names the level that auto means") {
  const RestoreChoice restore;
  setenv("FRUGAL_SIMD", kLowest, 1);
  set_simd("auto");
  CHECK(std::string(kernels().name) == kLowest);
  setenv("FRUGAL_SIMD", "", 1);
  set_simd("auto");
  CHECK(kernels().level == available_simd_levels().back());
  setenv("FRUGAL_SIMD", "sse", 1);
  const auto [message, status] = outcome("auto");
  CHECK(status == ExitStatus::usage);
  CHECK(message.starts_with("FRUGAL_SIMD=sse: unknown SIMD level, expected auto, "));
}

TEST_CASE("an unknown level is a usage error that names the nearest one") {
  const RestoreChoice restore;
  set_simd(kLowest);
  const auto [message, status] = outcome("autp");
  CHECK(status == ExitStatus::usage);
  CHECK(message.starts_with("--simd autp: unknown SIMD level, expected auto, "));
  CHECK(message.ends_with("; did you mean 'auto'?"));
  CHECK(outcome("").second == ExitStatus::usage);
  CHECK(std::string(kernels().name) == kLowest);
}

TEST_CASE("a level that this machine cannot run is refused with the reason") {
  const RestoreChoice restore;
  const auto [message, status] = outcome(kForeign);
  CHECK(status == ExitStatus::unavailable);
  CHECK(message.find("this machine cannot run it: another architecture") != std::string::npos);
  for (const SimdSupport& support : simd_support()) {
    if (support.usable) continue;
    const auto [text, code] = outcome(std::string(simd_name(support.level)).c_str());
    CHECK(code == ExitStatus::unavailable);
    CHECK(text.ends_with(support.reason));
    CHECK(kernels_for(support.level) == nullptr);
  }
}
