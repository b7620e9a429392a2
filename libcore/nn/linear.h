#pragma once
#include <span>

#include "libcore/base/view.h"
#include "libcore/kernels/gemm.h"

namespace frugal {

/// A fully connected layer y = x W^T + b, on the calling thread.
/// x: [batch, in], weights: [out, in], bias: [out] or empty, y: [batch, out].
void linear_forward(MatrixView<const float> x, MatrixView<const float> weights,
                    std::span<const float> bias, MatrixView<float> y,
                    Precision precision = Precision::f32);

/// dx = dy W, the gradient of the input. dy: [batch, out], dx: [batch, in].
void linear_backward_input(MatrixView<const float> dy, MatrixView<const float> weights,
                           MatrixView<float> dx, Precision precision = Precision::f32);

/// dw = dy^T x and db = column sums of dy; dbias may be empty. dweights: [out, in].
void linear_backward_weights(MatrixView<const float> dy, MatrixView<const float> x,
                             MatrixView<float> dweights, std::span<float> dbias,
                             Precision precision = Precision::f32);

/// sums[c] = sum over rows of matrix(r, c), in the order of the rows.
void column_sums(MatrixView<const float> matrix, std::span<float> sums);

}  // namespace frugal
