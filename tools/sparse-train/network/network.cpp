#include "tools/sparse-train/network/network.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"
#include "libcore/nn/init.h"

namespace frugal {
namespace {

// Random streams of the two tables.
constexpr std::uint64_t kFeatureStream = 1;
constexpr std::uint64_t kLabelStream = 2;

// Measured on the text sets: bounds of 0.3 to 1 and of 0.02 to 0.2 give the same accuracy within
// 0.3 points.
constexpr double kLabelCodeBound = 0.5;
constexpr double kLinearFeatureBound = 0.05;
// What Adagrad's sums of squares of a feature begin with: the first examples of a rare feature then
// move it by little. Measured against 0: IMDB +0.5, Debian sections +0.7, AG News and 20 Newsgroups
// +0.1 points; 0.01 to 0.3 are alike.
constexpr float kFirstSum = 0.1F;
constexpr double kReluFeatureDeviation = 0.05;
constexpr double kReluLabelDeviation = 0.01;

}  // namespace

Activation activation_from_name(std::string_view name) {
  if (name == "linear") return Activation::linear;
  if (name == "relu") return Activation::relu;
  fail(ExitStatus::usage, "unknown activation '", name, "', expected linear or relu");
}

std::string_view activation_name(Activation activation) {
  return activation == Activation::linear ? "linear" : "relu";
}

Network::Network(const NetworkShape& shape_, OptimizerKind optimizer)
    : shape(shape_),
      features(shape.num_features, shape.hidden, row_state_size(optimizer, shape.hidden)),
      labels(shape.num_labels, shape.hidden + 1,
             biased_row_state_size(optimizer, shape.hidden + 1)),
      hidden_stride_(RowTable(0, shape.hidden + 1, 0).stride()) {}

void Network::initialize(std::uint64_t seed) {
  const MatrixView<float> w = labels.weights();
  const MatrixView<float> without_bias(w.data, w.rows, shape.hidden, w.stride);
  if (shape.activation == Activation::linear && shape.num_labels <= shape.hidden + 1) {
    fill_uniform(without_bias, kLabelCodeBound, seed, kLabelStream);
  } else if (shape.activation == Activation::linear) {
    fill_uniform(features.weights(), kLinearFeatureBound, seed, kFeatureStream);
  } else {
    fill_normal(features.weights(), kReluFeatureDeviation, seed, kFeatureStream);
    fill_normal(without_bias, kReluLabelDeviation, seed, kLabelStream);
  }
  if (features.state_size() == 1) {
    for (std::size_t f = 0; f < features.rows(); ++f) *features.state(f) = kFirstSum;
  }
  // One-vs-all begins with every label as improbable as it is on average.
  const float bias =
      shape.loss == LossKind::one_vs_all ? -std::log(static_cast<float>(w.rows)) : 0.0F;
  for (std::size_t l = 0; l < w.rows; ++l) w(l, shape.hidden) = bias;
}

void Network::hidden_units(const Bag& bag, float* h) const {
  std::fill(h, h + hidden_stride(), 0.0F);
  embedding_bag_forward(features, bag, h);
  if (shape.activation == Activation::relu) kernels().relu(h, shape.hidden);
  h[shape.hidden] = 1;
}

}  // namespace frugal
