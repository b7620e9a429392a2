#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "libcore/nn/optimizer.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// The tensor `name` of that type and shape. Fails (bad_input) with `path`, what was found and what
/// was expected. because: ends the error with the origin of the shape, e.g. "one row for each of
/// the 60 nodes of 'past.last'"; "": nothing.
const Tensor& shaped_tensor(const Document& document, const std::string& path,
                            const std::string& name, const Shape& shape, Dtype dtype = Dtype::f32,
                            const std::string& because = "");

/// Number of steps of an optimiser: tensor `name`.steps. Loading fails as shaped_tensor() does.
void save_steps(Document& document, const std::string& name, std::uint64_t steps);
std::uint64_t load_steps(const Document& document, const std::string& path,
                         const std::string& name);

/// Concatenated states of optimisers that have done equally many steps: tensors `name` and
/// `name`.steps; none if they have no state. Loading fails as shaped_tensor() does.
void save_states(Document& document, const std::string& name,
                 std::span<const DenseOptimizer> states);
void load_states(const Document& document, const std::string& path, const std::string& name,
                 std::span<DenseOptimizer> states);

}  // namespace frugal
