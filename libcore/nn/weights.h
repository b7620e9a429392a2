#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/kernels/gemm.h"
#include "libcore/nn/optimizer.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// A parameter matrix W [in, out], or a row. Its gradient is a sum over the rows of a batch, which
/// is too large to be in memory as a whole. Each group of rows adds to a sum of its own, by one
/// thread at a time; a step adds these up in the order of the groups. Results so depend on the
/// groups, but not on the number of threads. Products may be in bf16; values, gradients and steps
/// are f32.
class Weights {
 public:
  /// Largest number of groups. More would balance the work better on many threads, but each takes
  /// as much memory as the weights.
  static constexpr std::size_t kGroups = 16;

  Weights() = default;
  /// precision: of products, resolved by product_precision() for W.
  Weights(std::size_t in, std::size_t out, Precision precision = Precision::f32);

  std::size_t in() const { return in_; }
  std::size_t out() const { return out_; }
  std::size_t size() const { return in_ * out_; }
  /// The values. Call changed() after writing them.
  MatrixView<float> values() { return {values_.data(), in_, out_, stride_}; }
  MatrixView<const float> values() const { return {values_.data(), in_, out_, stride_}; }
  void changed();
  /// Initialises uniformly within +-bound, as a function of the seed and the stream.
  void randomize(double bound, std::uint64_t seed, std::uint64_t stream);

  /// y = x W + beta y. x: [rows, in], y: [rows, out].
  void multiply(MatrixView<const float> x, MatrixView<float> y, float beta = 0) const;
  /// dx = dy W^T + beta dx. Requires prepare_training().
  void multiply_transposed(MatrixView<const float> dy, MatrixView<float> dx, float beta = 0) const;

  /// weight_decay: multiple of W that is added to its gradient.
  void prepare_training(OptimizerOptions optimizer, float weight_decay);
  /// Adds x^T dy to the group's gradient. Rows of dy must be readable up to the next multiple of
  /// kPanelColumns.
  void add_gradient(std::size_t group, MatrixView<const float> x, MatrixView<const float> dy);
  /// The group's gradient so far, [in, out]; the caller may add to it.
  MatrixView<float> gradient(std::size_t group);

  /// Pieces that a step consists of: any threads step all of them, then finish_step() is called.
  std::size_t num_pieces() const;
  /// Number of floats in a piece's gradient.
  std::size_t gradient_size(std::size_t piece) const;
  /// Writes the sum of the groups' gradients, [gradient_size()].
  void piece_gradient(std::size_t piece, std::span<float> gradient);
  /// Applies weight decay and the optimiser's step to the piece.
  void apply_gradient(std::size_t piece, std::span<const float> gradient, float rate);
  /// Sums the gradient and applies the step, with bitwise equal results.
  void step_piece(std::size_t piece, float rate);
  void finish_step();
  /// State number k of the optimiser, laid out as the values, and its number of steps.
  void read_state(std::size_t k, MatrixView<float> to) const;
  void write_state(std::size_t k, MatrixView<const float> from);
  std::uint64_t steps() const { return states_.empty() ? 0 : states_.front().steps(); }
  void set_steps(std::uint64_t steps);
  /// Sum of the groups' gradients, [in, out] without padding: for tests.
  std::vector<float> total_gradient() const;

  /// Rows [begin, begin + shape[1]) of W as tensor `name` of shape [out, rows], as in PyTorch; a
  /// row of parameters may have any shape with as many elements. Loading fails (bad_input) with
  /// `path` if the tensor is missing or different.
  void save(Document& document, const std::string& name, const Shape& shape,
            std::size_t begin = 0) const;
  void load(const Document& document, const std::string& path, const std::string& name,
            const Shape& shape, std::size_t begin = 0);
  /// The optimiser's state: tensors `name` and `name`.steps.
  void save_state(Document& document, const std::string& name) const;
  void load_state(const Document& document, const std::string& path, const std::string& name);

 private:
  std::size_t group_size() const { return in_ * stride_; }
  std::size_t piece_begin(std::size_t piece) const;
  std::size_t piece_end(std::size_t piece) const;
  std::size_t state_place(std::size_t k, std::size_t row) const;
  std::span<float> sum_groups(std::size_t piece);
  void pack(std::size_t begin, std::size_t end);

  std::size_t in_ = 0, out_ = 0;
  std::size_t stride_ = 0;  ///< floats from one row to the next; 0 after `out`
  Array<float> values_;
  Precision precision_ = Precision::f32;
  PackedMatrix forward_;                ///< W if products are in bf16, else empty
  PackedMatrix transposed_;             ///< set by prepare_training()
  Array<float> gradients_;              ///< [kGroups, in, stride]
  std::vector<std::uint8_t> used_;      ///< 1 if the group has a gradient
  std::vector<DenseOptimizer> states_;  ///< of each piece
};

}  // namespace frugal
