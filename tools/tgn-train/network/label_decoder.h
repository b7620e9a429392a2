#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/network/embedding_layer.h"
#include "tools/tgn-train/network/parameter_steps.h"

namespace frugal::tgn {

/// Predicts from a node's embedding the probability that its state changes: three fully connected
/// layers with 80 and 10 hidden units, ReLU and dropout (twitter-research/tgn, utils/utils.py,
/// MLP).
class LabelDecoder {
 public:
  /// dim: size of an embedding. dropout: probability that a hidden unit is dropped in training.
  LabelDecoder(std::size_t dim, float dropout);

  std::size_t dim() const { return layers_.front().shape().in; }
  float dropout() const { return dropout_; }
  std::uint64_t num_parameters() const;
  void randomize(std::uint64_t seed);
  void prepare_training(const OptimizerOptions& optimizer);

  /// embeddings: [rows, dim]; logits: [rows].
  void score(MatrixView<const float> embeddings, std::span<float> logits);
  /// Makes an optimiser step on the mean cross-entropy of the rows, and returns it. labels: 0 or 1.
  double train(MatrixView<const float> embeddings, std::span<const std::uint8_t> labels,
               const TgnPass& pass, float rate);

  void save(Document& document) const;
  /// Fails (bad_input) with `path` if a tensor is missing or has another shape.
  void load(const Document& document, const std::string& path);
  /// Saves or loads the optimiser's state in a checkpoint.
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);
  static void check(const Document& document, const std::string& path, std::size_t dim);

 private:
  void forward(MatrixView<const float> embeddings, const TgnPass& pass);
  void backward();

  float dropout_;
  std::vector<DenseLayer> layers_;
  std::vector<RowStore> inputs_;     ///< of each layer, with a column of ones
  std::vector<RowStore> gradients_;  ///< of each layer's outputs
  RowStore logits_;
  std::vector<float> keep_;
  ParameterSteps steps_;
};

}  // namespace frugal::tgn
