#pragma once
#include <cstdint>
#include <span>

#include "libcore/base/view.h"

namespace frugal {

/// Fills every element (not the padding of rows). Row r is a function of (seed, stream, r): values
/// do not depend on the number of threads, and a table with more rows begins with the same ones.
/// The first row of the matrix is row `first` of the table.
void fill_uniform(MatrixView<float> matrix, double bound, std::uint64_t seed, std::uint64_t stream,
                  std::size_t first = 0);
void fill_normal(MatrixView<float> matrix, double deviation, std::uint64_t seed,
                 std::uint64_t stream, std::size_t first = 0);

/// sqrt(6 / (fan_in + fan_out)): bound of a uniform distribution that preserves the variance of
/// activations and gradients (Glorot, Bengio, AISTATS 2010, equation 16).
double glorot_bound(std::size_t fan_in, std::size_t fan_out);

}  // namespace frugal
