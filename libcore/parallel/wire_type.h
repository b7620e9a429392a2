#pragma once
#include <array>
#include <span>
#include <string_view>

#include "libcore/base/float16.h"

namespace frugal {

/// Number type in which gradients are exchanged. They are rounded to it even if they stay on their
/// rank, so that sums do not depend on the number of ranks.
enum class WireType { f32, bf16 };
inline constexpr std::array<std::string_view, 2> kWireNames = {"f32", "bf16"};

inline void round_to(WireType type, std::span<float> values) {
  if (type == WireType::f32) return;
  for (float& x : values) x = to_float(to_bfloat16(x));
}

inline void round_to(WireType, std::span<double>) {}

}  // namespace frugal
