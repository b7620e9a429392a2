#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensors/tensor.h"

namespace frugal {

/// Converts the numbers of a tensor of any numeric type to floats. Fails (bad_input) with `place`
/// if the type is not numeric or a value has no counterpart. Warns of columns, along the last of
/// several dimensions, whose numbers lose the differences between them (FloatLoss).
Tensor to_floats(const Tensor& tensor, const std::string& place);
/// Converts to integers; floating-point numbers must be whole, and NaN becomes `nan_value`.
std::vector<std::int64_t> to_integers(const Tensor& tensor, const std::string& place,
                                      std::int64_t nan_value = -1);

}  // namespace frugal
