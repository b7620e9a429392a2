#pragma once
#include <cstddef>
#include <optional>

#include "libcore/system/cpu.h"

namespace frugal::probe {

/// A loop of multiply-adds in registers only, which measures the peak of the arithmetic units.
struct PeakLoop {
  const char* name;  ///< "f32" or "bf16"
  SimdLevel level;   ///< required instruction set
  double flop_per_iteration;
  float (*run)(std::size_t iterations);  ///< the result keeps the compiler from dropping the work
};

/// The f32 loop for the best instruction set of this machine, up to `highest`.
PeakLoop f32_peak(SimdLevel highest);
/// The bf16 loop, with tile products or dot products of pairs; nothing if neither may be used.
std::optional<PeakLoop> bf16_peak(SimdLevel highest);

}  // namespace frugal::probe
