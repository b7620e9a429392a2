#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "libcore/nn/optimizer.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// The tensor `name` of that type and shape. Fails (bad_input) with `path`, what was found and what
/// was expected if it is missing or another. because: ends the error with what gave the shape, such
/// as "one row for each of the 60 nodes of 'past.last'"; "": nothing.
const Tensor& shaped_tensor(const Document& document, const std::string& path,
                            const std::string& name, const Shape& shape, Dtype dtype = Dtype::f32,
                            const std::string& because = "");

/// Steps that an optimiser has done: tensor `name`.steps. Loading fails as shaped_tensor() does.
void save_steps(Document& document, const std::string& name, std::uint64_t steps);
std::uint64_t load_steps(const Document& document, const std::string& path,
                         const std::string& name);

/// The state of optimisers that have done as many steps, one behind the other: tensors `name` and
/// `name`.steps; none where they keep none. Loading fails as shaped_tensor() does.
void save_states(Document& document, const std::string& name,
                 std::span<const DenseOptimizer> states);
void load_states(const Document& document, const std::string& path, const std::string& name,
                 std::span<DenseOptimizer> states);

}  // namespace frugal
