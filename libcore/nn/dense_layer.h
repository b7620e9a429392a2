#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/base/view.h"
#include "libcore/kernels/gemm.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/split_weights.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// Values of units for the samples of a batch, followed by a column of ones: the next layer's bias
/// is the weight of that column. Rows are laid out for the products of DenseLayer.
class UnitRows {
 public:
  UnitRows() = default;
  UnitRows(std::size_t num_rows, std::size_t num_units);

  std::size_t num_units() const { return num_units_; }
  /// Views of the rows: values() [rows, units], with_ones() [rows, units + 1].
  MatrixView<float> values() { return {data_.data(), num_rows_, num_units_, stride_}; }
  MatrixView<const float> values() const { return {data_.data(), num_rows_, num_units_, stride_}; }
  MatrixView<const float> with_ones() const {
    return {data_.data(), num_rows_, num_units_ + 1, stride_};
  }

 private:
  std::size_t num_rows_ = 0, num_units_ = 0, stride_ = 0;
  Array<float> data_;
};

/// Inputs, with their ones if the layer has a bias, and gradients of the loss with respect to its
/// outputs, for the same samples.
struct LayerRows {
  MatrixView<const float> x, dy;
};

struct DenseShape {
  std::size_t in = 0, out = 0;
  bool bias = true;

  std::uint64_t num_parameters() const { return (in + (bias ? 1 : 0)) * std::uint64_t{out}; }
};

/// A fully connected layer y = W x + b, trained on many threads: first threads multiply different
/// rows of a batch, then they step different pieces of the weights. Nothing is reduced over
/// threads, so no result depends on their number. Products called outside a parallel loop divide
/// their rows among all threads. Inputs are rows of UnitRows, with their ones if the layer has a
/// bias.
///
/// The weights are stored as W^T with the bias as last row, so that the forward product and the
/// gradient of the weights use them in place. If products are in bf16, they read a packed copy,
/// whose part each step of a piece renews, or the weights are SplitWeights. The backward product
/// packs the weights again, block by block.
class DenseLayer {
 public:
  DenseLayer(const DenseShape& shape, Precision precision);

  const DenseShape& shape() const { return shape_; }
  /// Initialises W with variance 2 / (in + out) and b with 1 / out, both normally distributed, as
  /// DLRM's reference code does.
  void randomize(std::uint64_t seed, std::uint64_t stream);
  /// Initialises W and b uniformly within +-1 / sqrt(in), as PyTorch's layers do.
  void randomize_uniform(std::uint64_t seed, std::uint64_t stream);
  /// Initialises W normally with variance 2 / (in + out), and b as randomize_uniform().
  void randomize_glorot(std::uint64_t seed, std::uint64_t stream);
  /// Sets W [out, in] and the bias [out], which is empty if the layer has none.
  void set(MatrixView<const float> weights, std::span<const float> bias);
  /// Moves W and b towards those of a layer of the same shape, by `share` of the difference.
  /// Neither may have products in bf16.
  void move_towards(const DenseLayer& other, float share);
  /// Copies W [out, in] and the bias [out] out of the layer.
  void get(MatrixView<float> weights, std::span<float> bias) const;

  /// y = W x + b + beta y. x: [rows, in + bias], y: [rows, out].
  void forward(MatrixView<const float> x, MatrixView<float> y, float beta = 0) const;
  /// dx = dy W + beta dx. dy: [rows, out], dx: [rows, in].
  void backward(MatrixView<const float> dy, MatrixView<float> dx, float beta = 0) const;

  void prepare_training(const OptimizerOptions& optimizer);
  std::size_t num_pieces() const;
  /// Multiply-adds per sample that a piece's gradient takes.
  std::uint64_t piece_cost(std::size_t piece) const;
  /// Number of floats in a piece's gradient.
  std::size_t gradient_size(std::size_t piece) const;
  /// Writes the gradient dy^T x of all rows to [gradient_size()]. dy: rows of UnitRows. packed: dy
  /// packed once by the caller, if packs_gradients(); without it every piece packs dy itself.
  void piece_gradient(std::size_t piece, MatrixView<const float> x, MatrixView<const float> dy,
                      std::span<float> gradient, const PackedMatrix* packed = nullptr) const;
  /// Applies the optimiser's step to the piece.
  void apply_gradient(std::size_t piece, std::span<const float> gradient, float rate);
  /// Computes the gradient and applies the step, with bitwise equal results. Only with
  /// OptimizerRule::is_linear are they rounded differently, because products are added directly to
  /// the weights.
  void step_piece(std::size_t piece, MatrixView<const float> x, MatrixView<const float> dy,
                  float rate, const PackedMatrix* packed = nullptr);
  bool packs_gradients() const { return precision_ == Precision::bf16; }

  /// Parameters that device engines train: W^T with the bias as last row, [inputs + bias, out], and
  /// num_states() blocks of optimiser's state of that shape (none before prepare_training()).
  struct Rows {
    std::vector<float> weights, state;
  };
  std::size_t num_states() const;
  Rows get_rows() const;
  /// Steps that the optimiser has done.
  std::uint64_t steps() const { return states_.empty() ? 0 : states_.front().steps(); }
  /// Sets parameters, state, and the number of steps done.
  void set_rows(const Rows& rows, std::uint64_t steps);

  /// Tensors `name`.weight [out, in] and `name`.bias [out]. Loading fails (bad_input) with `path`
  /// if one is missing or has another shape.
  void save(Document& document, const std::string& name) const;
  void load(const Document& document, const std::string& path, const std::string& name);
  /// Fails as load() would for a layer of that shape. Call it before constructing the layer, so
  /// that a damaged file cannot make it allocate too much.
  static void check(const Document& document, const std::string& path, const std::string& name,
                    const DenseShape& shape);
  /// The optimiser's state: tensors `name` and `name`.steps.
  void save_state(Document& document, const std::string& name) const;
  void load_state(const Document& document, const std::string& path, const std::string& name);

 private:
  /// Whether there is one output: W is then a row, and dot products replace a product that would be
  /// 31/32 idle.
  bool single() const { return shape_.out == 1; }
  std::size_t num_inputs() const { return shape_.in + (shape_.bias ? 1 : 0); }
  void set_with_uniform_bias(MatrixView<const float> weights, std::uint64_t seed,
                             std::uint64_t stream);
  /// Fewest rows that are worth another thread.
  std::size_t rows_to_share() const;
  void multiply(MatrixView<const float> x, MatrixView<float> y, float beta) const;
  void multiply_back(MatrixView<const float> dy, MatrixView<float> dx, float beta) const;
  std::size_t piece_begin(std::size_t piece) const;
  std::size_t piece_end(std::size_t piece) const;
  /// Rows of W^T and the bias as stored in weights_, row_step_ apart.
  MatrixView<float> view(Array<float>& rows) const {
    return {rows.data(), num_inputs(), shape_.out, row_step_};
  }
  void take(Array<float> rows);
  template <class Use>
  void for_states(const Use& use) const;
  /// Operands of the gradient of a piece's weights.
  struct PieceRows {
    MatrixView<const float> x, dy;
    const PackedMatrix* packed = nullptr;  ///< packed dy, or null
  };
  PieceRows rows_of(std::size_t piece, MatrixView<const float> x, MatrixView<const float> dy,
                    const PackedMatrix* packed) const;
  void add_gradient(const PieceRows& rows, MatrixView<float> to, float alpha, float beta) const;
  void pack(std::size_t begin, std::size_t end);
  /// W^T in bf16.
  const PackedMatrix& packed() const { return split_.empty() ? packed_ : split_.high(); }

  DenseShape shape_;
  Precision precision_;
  std::size_t row_step_;  ///< floats from one row of W^T to the next
  Array<float> weights_;  ///< empty if they are split
  PackedMatrix packed_;   ///< W^T if products are in bf16 and the weights are not split, else empty
  SplitWeights split_;    ///< W^T, once training is prepared
  OptimizerOptions optimizer_;
  std::vector<DenseOptimizer> states_;  ///< of each piece
};

}  // namespace frugal
