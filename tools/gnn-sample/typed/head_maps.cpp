#include "tools/gnn-sample/typed/head_maps.h"

#include <cmath>

#include "libcore/kernels/gemm.h"

namespace frugal::gnn {
namespace {

/// The columns of head k.
template <class T>
MatrixView<T> part_of(MatrixView<T> rows, std::size_t k, std::size_t columns) {
  return {rows.data + k * columns, rows.rows, columns, rows.stride};
}

}  // namespace

HeadMaps::HeadMaps(std::size_t heads, std::size_t columns)
    : heads_(heads), columns_(columns), weights_(heads * columns, columns) {}

void HeadMaps::randomize(std::uint64_t seed, std::uint64_t stream) {
  weights_.randomize(1 / std::sqrt(static_cast<double>(columns_)), seed, stream);
}

void HeadMaps::forward(MatrixView<const float> x, std::span<const float> factors,
                       MatrixView<float> y) const {
  for (std::size_t k = 0; k < heads_; ++k) {
    gemm_in_place(part_of(x, k, columns_), Transpose::no, head(k), part_of(y, k, columns_),
                  factors[k]);
  }
}

void HeadMaps::add_gradient(std::size_t group, MatrixView<const float> x,
                            std::span<const float> factors, MatrixView<const float> dy) {
  const MatrixView<float> sums = weights_.gradient(group);
  for (std::size_t k = 0; k < heads_; ++k) {
    gemm_in_place(part_of(x, k, columns_), Transpose::yes, part_of(dy, k, columns_),
                  sums.rows_between(k * columns_, (k + 1) * columns_), factors[k], 1);
  }
}

void HeadMaps::multiply_transposed(MatrixView<const float> dy, MatrixView<float> dx) const {
  for (std::size_t k = 0; k < heads_; ++k) {
    gemm(part_of(dy, k, columns_), Transpose::no, head(k), Transpose::yes,
         part_of(dx, k, columns_));
  }
}

ParameterTensor HeadMaps::tensor(const std::string& name) {
  return {name, &weights_, {columns_, heads_ * columns_}};
}

}  // namespace frugal::gnn
