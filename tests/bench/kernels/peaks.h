#pragma once
#include "libcore/system/cpu.h"

namespace frugal::bench {

/// Measured GFLOP/s of one core: f32 multiply-adds in registers with the vectors of a level; 0 if
/// unknown.
double peak_f32(SimdLevel level);
/// The same in bf16, of AMX tiles or dots of pairs; 0 where the level has neither.
double peak_bf16(SimdLevel level);

}  // namespace frugal::bench
