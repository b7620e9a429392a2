#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/nn/embedding_bag.h"
#include "libcore/nn/loss.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/row_table.h"

namespace frugal::sparse {

enum class Activation { linear, relu };
inline constexpr std::array<std::string_view, 2> kActivationNames = {"linear", "relu"};

/// Parses "linear" or "relu". Fails (usage) on anything else, with these names.
Activation activation_from_name(std::string_view name);
std::string_view activation_name(Activation activation);

/// Labels [begin, end).
struct LabelRange {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t size() const { return end - begin; }
};

struct NetworkShape {
  std::uint32_t num_features = 0;
  std::uint32_t num_labels = 0;
  std::uint32_t hidden = 15;
  Activation activation = Activation::linear;
  LossKind loss = LossKind::softmax;
  std::vector<std::uint32_t> layers = {};  ///< units of further dense layers after the first
  bool half_labels = false;                ///< weights of labels are bf16 in memory; biases are f32

  /// Units of the last hidden layer, the input of the outputs.
  std::uint32_t width() const { return layers.empty() ? hidden : layers.back(); }
};

/// Sparse input -> embedding bag -> hidden units -> dense layers, if any -> one logit for each
/// label: h = activation(sum_j x_j features[j]), h = activation(layers[i] (h, 1)), logit_l =
/// labels[l] . (h, 1). The bias of a unit or label is the last column of its row, so every
/// parameter is in a table of rows with optimiser state.
struct Network {
  NetworkShape shape;
  RowTable features;              ///< [num_features, hidden]
  std::vector<RowTable> layers;   ///< [units, units before + 1]
  RowTable labels;                ///< [num_labels, width + 1], or only a rank's labels:
  std::uint32_t first_label = 0;  ///< the first label in `labels`

  Network() = default;
  /// All parameters are zero; there is room for optimiser state.
  Network(const NetworkShape& shape_, OptimizerKind optimizer)
      : Network(shape_, optimizer, {0, shape_.num_labels}) {}
  /// With the rows of some labels only, for training.
  Network(const NetworkShape& shape_, OptimizerKind optimizer, LabelRange held);

  /// Size of such a network's tables in bytes.
  static std::uint64_t num_bytes(const NetworkShape& shape, OptimizerKind optimizer);

  /// Draws initial weights. Linear with as many hidden units as labels: features are 0, and each
  /// label has a random code that its features learn, so rare features add no noise. Linear with
  /// fewer units: features are random and labels 0, because labels with similar codes would stay
  /// confused (on 50 labels, the accuracy of different seeds varies by 2 points instead of 0.3).
  /// ReLU: both are random, or no unit would ever be active.
  void initialize(std::uint64_t seed);

  /// Computes the last hidden units of one example: h[0, width), and h[width] = 1. h has room for
  /// hidden_stride() numbers.
  void hidden_units(const Bag& bag, float* h) const;

  /// Number of hidden layers, including the first; units of each; and stride between examples'
  /// rows: room for a 1 after the units, in whole cache lines.
  std::size_t num_layers() const { return 1 + layers.size(); }
  std::size_t num_units(std::size_t layer) const {
    return layer == 0 ? features.dim() : layers[layer - 1].rows();
  }
  std::size_t unit_stride(std::size_t layer) const;
  std::size_t hidden_stride() const { return unit_stride(layers.size()); }

  /// Applies the activation to the examples' units of a layer, and sets the 1 after each row.
  void activate(std::size_t layer, MatrixView<float> units) const;
};

}  // namespace frugal::sparse
