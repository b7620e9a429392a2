#pragma once
#include <cstddef>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/weights.h"

namespace frugal {

/// Layer normalisation of rows of `dim` units: y = gamma (x - mean) / sqrt(variance + 1e-5) + beta,
/// with the mean and the variance of the row's own units, in training as well (Ba, Kiros, Hinton,
/// arXiv 1607.06450, equation 3). Initial values and tensor names are those of PyTorch's LayerNorm.
/// Any threads may process different rows.
class LayerNorm {
 public:
  explicit LayerNorm(std::size_t dim);

  /// Computes y from x, both [rows, dim]. They may be the same rows.
  void normalize(MatrixView<const float> x, MatrixView<float> y) const;
  /// Adds the gradients of gamma and beta by these rows to their group, and converts the gradient
  /// of y to that of x, in place. x: what normalize() read.
  void backward(std::size_t group, MatrixView<const float> x, MatrixView<float> gradient);

  std::size_t dim() const { return gamma_.out(); }
  Weights& gamma() { return gamma_; }
  Weights& beta() { return beta_; }

 private:
  float centre(const float* x, float* centred) const;

  Weights gamma_, beta_;
  std::vector<float> ones_;  ///< [dim], so that a sum is a dot product
};

}  // namespace frugal
