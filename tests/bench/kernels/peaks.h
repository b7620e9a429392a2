#pragma once
#include "libcore/system/cpu.h"

namespace frugal::bench {

/// Measured GFLOP/s of one core: f32 multiply-adds in registers with the vectors of a level; 0 if
/// unknown.
double peak_f32(SimdLevel level);
/// The same of AMX tiles in bf16; 0 without AMX.
double peak_amx();

}  // namespace frugal::bench
