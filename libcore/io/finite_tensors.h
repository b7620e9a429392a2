#pragma once
#include <string>

#include "libcore/io/tensor_file.h"

namespace frugal {

/// Fails (bad_input) with the path, the tensor's name and the value where a tensor of F32, F16 or
/// BF16 holds a NaN or an infinite number: no model that was trained has one.
void check_finite(const Document& document, const std::string& path);

}  // namespace frugal
