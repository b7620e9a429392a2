#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What cpu_x86.cpp and cpu_arm.cpp each do for their architecture; users include cpu.h.

namespace frugal {

/// Levels of vector instructions that kernels are compiled for, lowest first within an
/// architecture.
enum class SimdLevel { v2, v3, v4, v4bf16, amx, neon, sve };

std::string_view simd_name(SimdLevel level);
std::optional<SimdLevel> simd_from_name(std::string_view name);

/// Whether this CPU, kernel and process can use a level, and why or why not in words for the user.
struct SimdSupport {
  SimdLevel level;
  bool usable = false;
  std::string reason;
};

/// All levels of this architecture. AMX is usable only if CPUID, XCR0, palette and arch_prctl
/// agree; the permission is asked for by this call. Cached after the first call.
const std::vector<SimdSupport>& simd_support();
bool simd_usable(SimdLevel level);

/// Whether dots of pairs of bf16 (level v4bf16) have twice the rate of multiply-adds in f32, so
/// that they are worth rounding for.
bool bf16_dots_are_fast();

/// "Intel(R) Xeon(R) Processor, family 6 model 207" and the like.
std::string cpu_model();

/// Asks the processor and the kernel, uncached; lowest level first.
std::vector<SimdSupport> detect_simd_support();

}  // namespace frugal
