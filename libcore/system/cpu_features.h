#pragma once
#include <string>
#include <vector>

#include "libcore/system/cpu.h"

// What cpu_x86.cpp and cpu_arm.cpp each do for their architecture; users include cpu.h.
namespace frugal {

/// Asks the processor and the kernel, uncached; lowest level first.
std::vector<SimdSupport> detect_simd_support();

}  // namespace frugal
