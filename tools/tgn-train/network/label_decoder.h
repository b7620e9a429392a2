#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/nn/row_store.h"
#include "tools/tgn-train/data/event_formats.h"
#include "tools/tgn-train/network/embedding_layer.h"
#include "tools/tgn-train/network/parameter_steps.h"

namespace frugal::tgn {

/// Predicts labels from embeddings by three fully connected layers with ReLU and dropout. Labels 0
/// and 1 have a logit, after 80 and 10 hidden units (twitter-research/tgn, utils/utils.py, MLP).
/// Classes have a logit each, and numbers are predicted as such, after 128 and 64 hidden units.
class LabelDecoder {
 public:
  /// dim: size of a row of inputs. dropout: probability that a hidden unit is dropped in training.
  /// classes: number of classes, for LabelType::classes.
  LabelDecoder(std::size_t dim, float dropout, LabelType type = LabelType::binary,
               std::size_t classes = 0);

  std::size_t dim() const { return layers_.front().shape().in; }
  std::size_t outputs() const { return layers_.back().shape().out; }
  float dropout() const { return dropout_; }
  std::uint64_t num_parameters() const;
  void randomize(std::uint64_t seed);
  /// averages: score() and save() use an exponential moving average of the weights, with decay
  /// 0.99, and (1 + t) / (10 + t) in the first steps t.
  void prepare_training(const OptimizerOptions& optimizer, bool averages = false);

  /// inputs: [rows, dim]. Returns [rows, outputs], valid until the next call.
  MatrixView<const float> score(MatrixView<const float> inputs);
  /// Makes an optimiser step on the mean loss of the rows, and returns it: the cross-entropy, or
  /// the squared error of numbers. labels: 0 or 1, numbers of classes, or numbers.
  double train(MatrixView<const float> inputs, std::span<const float> labels, const TgnPass& pass,
               float rate);

  void save(Document& document) const;
  /// Fails (bad_input) with `path` if a tensor is missing or has another shape.
  void load(const Document& document, const std::string& path);
  /// Saves or loads the optimiser's state in a checkpoint.
  void save_state(Document& document) const;
  void load_state(const Document& document, const std::string& path);
  /// Fails as load() does, before a decoder is made that damaged metadata would make too large.
  static void check(const Document& document, const std::string& path, std::size_t dim,
                    LabelType type, std::size_t classes);

 private:
  void forward(const std::vector<DenseLayer>& layers, MatrixView<const float> inputs,
               const TgnPass& pass);
  void average(std::uint64_t step);
  void backward();
  double binary_loss(std::span<const float> labels);
  double row_losses(std::span<const float> labels);

  LabelType type_;
  float dropout_;
  std::vector<DenseLayer> layers_;
  std::vector<DenseLayer> averages_;  ///< of layers_, or none
  std::vector<RowStore> inputs_;      ///< of each layer, with a column of ones
  std::vector<RowStore> gradients_;   ///< of each layer's outputs
  RowStore logits_;
  std::vector<float> keep_;
  ParameterSteps steps_;
};

}  // namespace frugal::tgn
