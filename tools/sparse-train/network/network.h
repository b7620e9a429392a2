#pragma once
#include <cstdint>

#include "libcore/nn/embedding_bag.h"
#include "libcore/nn/loss.h"
#include "libcore/nn/optimizer.h"
#include "libcore/nn/row_table.h"

namespace frugal {

enum class Activation { linear, relu };

/// "linear" or "relu"; fails (usage) on anything else, naming these.
Activation activation_from_name(std::string_view name);
std::string_view activation_name(Activation activation);

struct NetworkShape {
  std::uint32_t num_features = 0;
  std::uint32_t num_labels = 0;
  std::uint32_t hidden = 15;
  Activation activation = Activation::linear;
  LossKind loss = LossKind::softmax;
};

/// Sparse input -> embedding bag -> hidden units -> one logit a label:
/// h = activation(sum_j x_j features[j]), logit_l = labels[l] . (h, 1). The bias of a label is the
/// last column of its row, so that every parameter lives in one of two tables.
struct Network {
  NetworkShape shape;
  RowTable features;  ///< [num_features, hidden]
  RowTable labels;    ///< [num_labels, hidden + 1]

  Network() = default;
  /// All parameters zero, with room for the optimiser's state.
  Network(const NetworkShape& shape_, OptimizerKind optimizer);

  /// Linear with as many hidden units as labels: features 0 and a random code for each label that
  /// its features learn (rare features then carry no noise). Linear with fewer: features random and
  /// labels 0, because codes that happen to lie close stay confused (on 50 labels the accuracy of
  /// different seeds differs by 2 points instead of 0.3). ReLU: both random, or no unit would ever
  /// wake.
  void initialize(std::uint64_t seed);

  /// h[0, hidden] of one example with h[hidden] = 1; h is as wide as a row of `features`.
  void hidden_units(const Bag& bag, float* h) const;

  /// Floats from one row of hidden units to the next.
  std::size_t hidden_stride() const { return hidden_stride_; }

 private:
  std::size_t hidden_stride_ = 0;
};

}  // namespace frugal
