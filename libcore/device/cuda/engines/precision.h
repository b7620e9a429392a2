#pragma once
/// Numbers that products are made of.
#include "libcore/device/cuda/engines/engine.h"

namespace frugal::cuda {

enum class Products { f32, bf16 };  ///< sums are of f32
/// Setting "precision": "f32", "bf16" or "auto", which is bf16 where the device has tensor cores
/// for it; fails where "bf16" is asked for and the device has none.
Products products_from(const Settings& settings);

}  // namespace frugal::cuda
