#pragma once
#include <cstddef>
#include <optional>

#include "libcore/system/cpu.h"

namespace frugal::probe {

/// A loop of nothing but multiply-adds in registers: what the arithmetic units can do at best.
struct PeakLoop {
  const char* name;  ///< "f32" or "bf16"
  SimdLevel level;   ///< instruction set that it needs
  double flop_per_iteration;
  float (*run)(std::size_t iterations);  ///< the result keeps the compiler from dropping the work
};

/// The f32 loop of the best instruction set up to `highest` that this machine runs.
PeakLoop f32_peak(SimdLevel highest);
/// The same of bf16: of tile products or dots of pairs; nothing where neither may be used.
std::optional<PeakLoop> bf16_peak(SimdLevel highest);

}  // namespace frugal::probe
