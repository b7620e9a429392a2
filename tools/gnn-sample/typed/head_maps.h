#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "libcore/base/view.h"
#include "libcore/nn/parameter_tensors.h"
#include "libcore/nn/weights.h"

namespace frugal::gnn {

/// A square matrix W_k for each head, which multiplies the columns of its head: y_k = x_k W_k.
/// Products are f32. Functions run on the calling thread.
class HeadMaps {
 public:
  /// No maps.
  HeadMaps() = default;
  /// columns: of each head.
  HeadMaps(std::size_t heads, std::size_t columns);

  /// Draws initial values within +-1 / sqrt(columns).
  void randomize(std::uint64_t seed, std::uint64_t stream);
  /// y_k = factors[k] x_k W_k. x, y: [rows, heads * columns].
  void forward(MatrixView<const float> x, std::span<const float> factors,
               MatrixView<float> y) const;
  /// Adds to the group's gradient by that of y, which is in RowStore or working_rows().
  void add_gradient(std::size_t group, MatrixView<const float> x, std::span<const float> factors,
                    MatrixView<const float> dy);
  /// dx_k = dy_k W_k^T, without the factors.
  void multiply_transposed(MatrixView<const float> dy, MatrixView<float> dx) const;
  /// Tensor `name` [columns, heads * columns]: the transposed matrices side by side.
  ParameterTensor tensor(const std::string& name);

 private:
  MatrixView<const float> head(std::size_t k) const {
    return weights_.values().rows_between(k * columns_, (k + 1) * columns_);
  }

  std::size_t heads_ = 0, columns_ = 0;
  Weights weights_;  ///< [heads * columns, columns] one matrix below another
};

}  // namespace frugal::gnn
