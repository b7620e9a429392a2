#pragma once
/// Number types of the factors of products.
#include "libcore/device/cuda/engines/engine.h"

namespace frugal::cuda {

enum class Products { f32, bf16 };  ///< sums are always f32
/// Setting "precision": "f32", "bf16", or "auto": bf16 if the device has tensor cores for it. Fails
/// for "bf16" if it has none.
Products products_from(const Settings& settings);

}  // namespace frugal::cuda
