#include "libcore/nn/linear.h"

#include <algorithm>
#include <cassert>

#include "libcore/kernels/kernels.h"

namespace frugal {

void linear_forward(MatrixView<const float> x, MatrixView<const float> weights,
                    std::span<const float> bias, MatrixView<float> y, Precision precision) {
  assert(bias.empty() || bias.size() == y.cols);
  if (bias.empty()) return gemm(x, Transpose::no, weights, Transpose::yes, y, 1, 0, precision);
  for (std::size_t r = 0; r < y.rows; ++r) std::copy(bias.begin(), bias.end(), y.row(r));
  gemm(x, Transpose::no, weights, Transpose::yes, y, 1, 1, precision);
}

void linear_backward_input(MatrixView<const float> dy, MatrixView<const float> weights,
                           MatrixView<float> dx, Precision precision) {
  gemm(dy, Transpose::no, weights, Transpose::no, dx, 1, 0, precision);
}

void linear_backward_weights(MatrixView<const float> dy, MatrixView<const float> x,
                             MatrixView<float> dweights, std::span<float> dbias,
                             Precision precision) {
  gemm(dy, Transpose::yes, x, Transpose::no, dweights, 1, 0, precision);
  if (!dbias.empty()) column_sums(dy, dbias);
}

void column_sums(MatrixView<const float> matrix, std::span<float> sums) {
  assert(sums.size() == matrix.cols);
  std::fill(sums.begin(), sums.end(), 0.0F);
  for (std::size_t r = 0; r < matrix.rows; ++r)
    kernels().axpy(1, matrix.row(r), sums.data(), matrix.cols);
}

}  // namespace frugal
