#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensors/tensor.h"

namespace frugal {

/// Numbers of any type of tensor as another; fail (bad_input) with `place` where the type has no
/// numbers, or a value no counterpart.
Tensor to_floats(const Tensor& tensor, const std::string& place);
/// Integers, of floating types too where they are whole; NaN becomes `nan_value`.
std::vector<std::int64_t> to_integers(const Tensor& tensor, const std::string& place,
                                      std::int64_t nan_value = -1);

}  // namespace frugal
