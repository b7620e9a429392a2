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

/// "linear" or "relu"; fails (usage) on anything else, naming these.
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
  std::vector<std::uint32_t> layers = {};  ///< units of further dense layers behind the first
  bool half_labels = false;                ///< in memory, weights of labels are bf16; biases f32

  /// Of the last hidden layer: what the outputs see.
  std::uint32_t width() const { return layers.empty() ? hidden : layers.back(); }
};

/// Sparse input -> embedding bag -> hidden units -> dense layers, if any -> one logit a label:
/// h = activation(sum_j x_j features[j]), h = activation(layers[i] (h, 1)), logit_l = labels[l] .
/// (h, 1). The bias of a unit or label is the last column of its row, so that every parameter lives
/// in a table of rows with the optimiser's state.
struct Network {
  NetworkShape shape;
  RowTable features;              ///< [num_features, hidden]
  std::vector<RowTable> layers;   ///< [units, units before + 1]
  RowTable labels;                ///< [num_labels, width + 1], or of a rank's labels alone:
  std::uint32_t first_label = 0;  ///< from this one on

  Network() = default;
  /// All parameters zero, with room for the optimiser's state.
  Network(const NetworkShape& shape_, OptimizerKind optimizer)
      : Network(shape_, optimizer, {0, shape_.num_labels}) {}
  /// With the rows of some labels alone, for training.
  Network(const NetworkShape& shape_, OptimizerKind optimizer, LabelRange held);

  /// What the tables of such a network take, in bytes.
  static std::uint64_t num_bytes(const NetworkShape& shape, OptimizerKind optimizer);

  /// Linear with as many hidden units as labels: features 0 and a random code for each label that
  /// its features learn (rare features then carry no noise). Linear with fewer: features random and
  /// labels 0, because codes that happen to lie close stay confused (on 50 labels the accuracy of
  /// different seeds differs by 2 points instead of 0.3). ReLU: both random, or no unit would ever
  /// wake.
  void initialize(std::uint64_t seed);

  /// The last hidden units of one example, h[0, width), and h[width] = 1; room for
  /// hidden_stride().
  void hidden_units(const Bag& bag, float* h) const;

  /// Hidden layers with the first; units of each, and floats from one example's row of them to the
  /// next: room for a 1 behind the units, whole cache lines.
  std::size_t num_layers() const { return 1 + layers.size(); }
  std::size_t num_units(std::size_t layer) const {
    return layer == 0 ? features.dim() : layers[layer - 1].rows();
  }
  std::size_t unit_stride(std::size_t layer) const;
  std::size_t hidden_stride() const { return unit_stride(layers.size()); }

  /// Applies the activation to n examples' units of a layer, puts a 1 behind each.
  void activate(std::size_t layer, MatrixView<float> units) const;
};

}  // namespace frugal::sparse
