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

/// The values of units for the samples of a batch, with a one behind them: the bias of the next
/// layer is the weight of that one. Rows lie as the products of DenseLayer want them.
class UnitRows {
 public:
  UnitRows() = default;
  UnitRows(std::size_t num_rows, std::size_t num_units);

  std::size_t num_units() const { return num_units_; }
  /// [rows, units]; the second: [rows, units + 1].
  MatrixView<float> values() { return {data_.data(), num_rows_, num_units_, stride_}; }
  MatrixView<const float> values() const { return {data_.data(), num_rows_, num_units_, stride_}; }
  MatrixView<const float> with_ones() const {
    return {data_.data(), num_rows_, num_units_ + 1, stride_};
  }

 private:
  std::size_t num_rows_ = 0, num_units_ = 0, stride_ = 0;
  Array<float> data_;
};

/// Inputs, with their ones where the layer has a bias, and gradients of the loss by its outputs, of
/// the same samples.
struct LayerRows {
  MatrixView<const float> x, dy;
};

struct DenseShape {
  std::size_t in = 0, out = 0;
  bool bias = true;

  std::uint64_t num_parameters() const { return (in + (bias ? 1 : 0)) * std::uint64_t{out}; }
};

/// A fully connected layer y = W x + b that is trained on many threads: any of them multiply
/// different rows of a batch, then step different pieces of the weights. Nothing is reduced over
/// threads, so none of the results depends on their number. Products that are called outside of a
/// parallel loop share their rows among all threads themselves. Inputs are rows of UnitRows: with
/// their ones where the layer has a bias.
///
/// The weights lie as W^T with the bias as last row: so the forward product and the gradient of the
/// weights read and write them in place; where products are in bf16, they read a packed copy, which
/// each step of a piece renews for its own part, or the weights are SplitWeights. The backward
/// product packs the weights once more, block by block.
class DenseLayer {
 public:
  DenseLayer(const DenseShape& shape, Precision precision);

  const DenseShape& shape() const { return shape_; }
  /// W from a normal distribution with variance 2 / (in + out), b with 1 / out: as DLRM's reference
  /// code begins.
  void randomize(std::uint64_t seed, std::uint64_t stream);
  /// W and b uniform within +-1 / sqrt(in): as PyTorch's layers begin.
  void randomize_uniform(std::uint64_t seed, std::uint64_t stream);
  /// W from a normal distribution with variance 2 / (in + out), b as randomize_uniform().
  void randomize_glorot(std::uint64_t seed, std::uint64_t stream);
  /// weights: W, [out, in]; bias: [out], or empty where the layer has none.
  void set(MatrixView<const float> weights, std::span<const float> bias);
  /// What set() takes.
  void get(MatrixView<float> weights, std::span<float> bias) const;

  /// y = W x + b + beta y. x: [rows, in + bias], y: [rows, out].
  void forward(MatrixView<const float> x, MatrixView<float> y, float beta = 0) const;
  /// dx = dy W + beta dx. dy: [rows, out], dx: [rows, in].
  void backward(MatrixView<const float> dy, MatrixView<float> dx, float beta = 0) const;

  void prepare_training(const OptimizerOptions& optimizer);
  std::size_t num_pieces() const;
  /// Multiply-adds a sample that a piece's gradient takes.
  std::uint64_t piece_cost(std::size_t piece) const;
  /// Floats of a piece's gradient.
  std::size_t gradient_size(std::size_t piece) const;
  /// Writes the gradient dy^T x of all rows, [gradient_size()]. dy: rows of UnitRows. packed: dy,
  /// where packs_gradients(): else every piece packs it for itself.
  void piece_gradient(std::size_t piece, MatrixView<const float> x, MatrixView<const float> dy,
                      std::span<float> gradient, const PackedMatrix* packed = nullptr) const;
  /// The optimiser's step of the piece.
  void apply_gradient(std::size_t piece, std::span<const float> gradient, float rate);
  /// Both at once, to the same bits. Only steps of OptimizerRule::is_linear round otherwise: their
  /// products are added to the weights as they are made.
  void step_piece(std::size_t piece, MatrixView<const float> x, MatrixView<const float> dy,
                  float rate, const PackedMatrix* packed = nullptr);
  bool packs_gradients() const { return precision_ == Precision::bf16; }

  /// What engines of devices step: W^T with the bias as last row, [inputs + bias, out], and of the
  /// optimiser's state num_states() such blocks: none before prepare_training().
  struct Rows {
    std::vector<float> weights, state;
  };
  std::size_t num_states() const;
  Rows get_rows() const;
  /// That the optimiser has done.
  std::uint64_t steps() const { return states_.empty() ? 0 : states_.front().steps(); }
  /// steps: as steps() will tell.
  void set_rows(const Rows& rows, std::uint64_t steps);

  /// Tensors `name`.weight [out, in] and `name`.bias [out]. Loading fails (bad_input) with `path`
  /// where one is missing or of another shape.
  void save(Document& document, const std::string& name) const;
  void load(const Document& document, const std::string& path, const std::string& name);
  /// Fails as load() of a layer of that shape does, before there is one: so the file's size bears
  /// out the memory that the layer takes.
  static void check(const Document& document, const std::string& path, const std::string& name,
                    const DenseShape& shape);
  /// The optimiser's state: tensors `name` and `name`.steps.
  void save_state(Document& document, const std::string& name) const;
  void load_state(const Document& document, const std::string& path, const std::string& name);

 private:
  /// One output is a row of weights: dot products instead of a product that is 31/32 idle.
  bool single() const { return shape_.out == 1; }
  std::size_t num_inputs() const { return shape_.in + (shape_.bias ? 1 : 0); }
  void set_with_uniform_bias(MatrixView<const float> weights, std::uint64_t seed,
                             std::uint64_t stream);
  /// Rows that are worth another thread.
  std::size_t rows_to_share() const;
  void multiply(MatrixView<const float> x, MatrixView<float> y, float beta) const;
  void multiply_back(MatrixView<const float> dy, MatrixView<float> dx, float beta) const;
  std::size_t piece_begin(std::size_t piece) const;
  std::size_t piece_end(std::size_t piece) const;
  /// Rows of W^T and the bias, row_step_ apart, as weights_ holds them.
  MatrixView<float> view(Array<float>& rows) const {
    return {rows.data(), num_inputs(), shape_.out, row_step_};
  }
  void take(Array<float> rows);
  template <class Use>
  void for_states(const Use& use) const;
  /// What the gradient of a piece's weights is made of.
  struct PieceRows {
    MatrixView<const float> x, dy;
    const PackedMatrix* packed = nullptr;  ///< dy, or null
  };
  PieceRows rows_of(std::size_t piece, MatrixView<const float> x, MatrixView<const float> dy,
                    const PackedMatrix* packed) const;
  void add_gradient(const PieceRows& rows, MatrixView<float> to, float alpha, float beta) const;
  void pack(std::size_t begin, std::size_t end);
  /// W^T as bf16.
  const PackedMatrix& packed() const { return split_.empty() ? packed_ : split_.high(); }

  DenseShape shape_;
  Precision precision_;
  std::size_t row_step_;  ///< floats from one row of W^T to the next
  Array<float> weights_;  ///< none where they are split
  PackedMatrix packed_;   ///< W^T where products are in bf16 and weights not split, else empty
  SplitWeights split_;    ///< W^T, once training is prepared
  OptimizerOptions optimizer_;
  std::vector<DenseOptimizer> states_;  ///< of each piece
};

}  // namespace frugal
