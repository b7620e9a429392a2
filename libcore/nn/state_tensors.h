#pragma once
#include <span>
#include <string>

#include "libcore/io/tensor_file.h"
#include "libcore/nn/optimizer.h"

namespace frugal {

/// The f32 tensor `name` of that shape; fails (bad_input) with `path` where it is missing or
/// another.
const Tensor& shaped_tensor(const Document& document, const std::string& path,
                            const std::string& name, const Shape& shape);

/// The state of optimisers that have done as many steps, one behind the other: tensors `name` and
/// `name`.steps; none where they keep none. Loading fails as shaped_tensor() does.
void save_states(Document& document, const std::string& name,
                 std::span<const DenseOptimizer> states);
void load_states(const Document& document, const std::string& path, const std::string& name,
                 std::span<DenseOptimizer> states);

}  // namespace frugal
