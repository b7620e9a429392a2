#pragma once
#include <cstdint>

#include "libcore/kernels/gemm.h"
#include "libcore/options/option_fields.h"

namespace frugal {

/// What a checkpoint must agree with: the described options of a training that change its result,
/// and the common ones that do.
OptionTexts run_options(const OptionFields& fields, std::uint64_t& seed, Precision& precision);

}  // namespace frugal
