#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Vector instructions that this machine can use. cpu_x86.cpp and cpu_arm.cpp each define
// detect_simd_support(), bf16_dots_are_fast() and cpu_model() for their architecture.

namespace frugal {

/// Levels of vector instructions that kernels are compiled for, ascending within an architecture.
enum class SimdLevel { v2, v3, v4, v4bf16, amx, neon, sve };

std::string_view simd_name(SimdLevel level);
std::optional<SimdLevel> simd_from_name(std::string_view name);

/// Whether this CPU, kernel and process can use a level, and the reason in words for the user.
struct SimdSupport {
  SimdLevel level;
  bool usable = false;
  std::string reason;
};

/// Support of all levels of this architecture. AMX is usable only if CPUID, XCR0, palette and
/// arch_prctl agree; this call requests the permission. The result is cached.
const std::vector<SimdSupport>& simd_support();
bool simd_usable(SimdLevel level);

/// Whether dot products of bf16 pairs (level v4bf16) are about twice as fast as f32 multiply-adds,
/// so that rounding to bf16 pays.
bool bf16_dots_are_fast();

/// Name of the processor, e.g. "Intel(R) Xeon(R) Processor, family 6 model 207".
std::string cpu_model();

/// Queries the processor and the kernel, without a cache. Lowest level first.
std::vector<SimdSupport> detect_simd_support();

}  // namespace frugal
