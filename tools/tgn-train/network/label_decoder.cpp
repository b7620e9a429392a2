#include "tools/tgn-train/network/label_decoder.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/loss.h"
#include "libcore/nn/state_tensors.h"

namespace frugal::tgn {
namespace {

/// Outputs of each layer.
std::array<std::size_t, 3> label_units(LabelType type, std::size_t classes) {
  if (type == LabelType::binary) return {80, 10, 1};
  return {128, 64, type == LabelType::classes ? classes : 1};
}

constexpr std::uint64_t kLabelStream = 0x500;
/// First dropout number of the hidden units; embedding layers use smaller ones.
constexpr std::size_t kHiddenDropout = 0x20;

constexpr double kAverageDecay = 0.99;

std::string layer_name(std::size_t layer) { return "node_label.fc_" + std::to_string(layer + 1); }
/// Name of the weights that averages are made of, in checkpoints.
std::string trained_name(std::size_t layer) { return layer_name(layer) + ".trained"; }

}  // namespace

LabelDecoder::LabelDecoder(std::size_t dim, float dropout, LabelType type, std::size_t classes)
    : type_(type), dropout_(dropout) {
  for (const std::size_t out : label_units(type, classes)) {
    layers_.emplace_back(DenseShape{dim, out}, Precision::f32);
    dim = out;
  }
  inputs_.resize(layers_.size());
  gradients_.resize(layers_.size());
}

std::uint64_t LabelDecoder::num_parameters() const {
  std::uint64_t count = 0;
  for (const DenseLayer& layer : layers_) count += layer.shape().num_parameters();
  return count;
}

void LabelDecoder::randomize(std::uint64_t seed) {
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    layers_[k].randomize_uniform(seed, kLabelStream + 2 * k);
  }
}

void LabelDecoder::prepare_training(const OptimizerOptions& optimizer, bool averages) {
  for (DenseLayer& layer : layers_) {
    if (averages) {
      averages_.emplace_back(layer.shape(), Precision::f32);
      averages_.back().move_towards(layer, 1);
    }
    layer.prepare_training(optimizer);
  }
}

void LabelDecoder::average(std::uint64_t step) {
  const auto steps = static_cast<double>(step);
  const double decay = std::min(kAverageDecay, (1 + steps) / (10 + steps));
  for (std::size_t k = 0; k < averages_.size(); ++k) {
    averages_[k].move_towards(layers_[k], static_cast<float>(1 - decay));
  }
}

/// Leaves the logits in logits_.
void LabelDecoder::forward(const std::vector<DenseLayer>& layers, MatrixView<const float> inputs,
                           const TgnPass& pass) {
  const std::size_t n = inputs.rows;
  assert(inputs.cols == dim());
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const std::size_t in = layers[k].shape().in;
    inputs_[k].resize(n, in + 1);
    for (std::size_t r = 0; r < n; ++r) inputs_[k].view()(r, in) = 1;
  }
  for (std::size_t r = 0; r < n; ++r) {
    std::copy_n(inputs.row(r), dim(), inputs_[0].view().row(r));
  }
  logits_.resize(n, outputs());
  for (std::size_t k = 0; k + 1 < layers.size(); ++k) {
    const std::size_t out = layers[k].shape().out;
    layers[k].forward(inputs_[k].view(), inputs_[k + 1].columns(0, out));
    draw_dropout(pass, kHiddenDropout + k, dropout_, n * out, keep_);
    for (std::size_t r = 0; r < n; ++r) {
      float* row = inputs_[k + 1].view().row(r);
      kernels().relu(row, out);
      for (std::size_t c = 0; c < out && !keep_.empty(); ++c) row[c] *= keep_[r * out + c];
    }
  }
  layers.back().forward(inputs_.back().view(), logits_.view());
}

/// Computes the gradients of the hidden units from gradients_.back(). A dropped unit is 0, so it
/// has no gradient, like one that ReLU cuts off.
void LabelDecoder::backward() {
  const std::size_t n = gradients_.back().view().rows;
  for (std::size_t k = layers_.size(); k-- > 0;) {
    steps_.add(layers_[k], inputs_[k].view(), gradients_[k].view());
    if (k == 0) return;
    const std::size_t units = layers_[k].shape().in;
    gradients_[k - 1].resize(n, units);
    const MatrixView<float> below = gradients_[k - 1].view();
    layers_[k].backward(gradients_[k].view(), below);
    for (std::size_t r = 0; r < n; ++r) {
      kernels().relu_backward(inputs_[k].view().row(r), below.row(r), units);
      kernels().scale(1 / (1 - dropout_), below.row(r), units);
    }
  }
}

MatrixView<const float> LabelDecoder::score(MatrixView<const float> inputs) {
  forward(averages_.empty() ? layers_ : averages_, inputs, {});
  return logits_.view();
}

double LabelDecoder::train(MatrixView<const float> inputs, std::span<const float> labels,
                           const TgnPass& pass, float rate) {
  assert(labels.size() == inputs.rows && pass.training);
  forward(layers_, inputs, pass);
  gradients_.back().resize(inputs.rows, outputs());
  const double loss = type_ == LabelType::binary ? binary_loss(labels) : row_losses(labels);
  backward();
  steps_.take(rate);
  average(pass.step);
  return loss;
}

/// Leaves the gradient of the logits in gradients_.back(), as row_losses() does.
double LabelDecoder::binary_loss(std::span<const float> labels) {
  const std::size_t n = labels.size();
  // The cross-entropy of x is log(1 + exp(-x)) where the label is 1, else log(1 + exp(x)).
  std::vector<float> signed_logits(n);
  for (std::size_t r = 0; r < n; ++r) {
    signed_logits[r] = labels[r] != 0 ? -logits_.view()(r, 0) : logits_.view()(r, 0);
  }
  const double loss = static_cast<double>(kernels().logistic(signed_logits.data(), nullptr, n)) /
                      static_cast<double>(n);
  for (std::size_t r = 0; r < n; ++r) {
    const float gradient = signed_logits[r] / static_cast<float>(n);
    gradients_.back().view()(r, 0) = labels[r] != 0 ? -gradient : gradient;
  }
  return loss;
}

double LabelDecoder::row_losses(std::span<const float> labels) {
  const float share = 1 / static_cast<float>(labels.size());
  double loss = 0;
  for (std::size_t r = 0; r < labels.size(); ++r) {
    const std::span<float> row = gradients_.back().view().row_span(r);
    std::copy_n(logits_.view().row(r), row.size(), row.data());
    if (type_ == LabelType::classes) {
      const auto label = static_cast<std::uint32_t>(labels[r]);
      loss += softmax_loss(row, {&label, 1}, {}, share);
      continue;
    }
    const float error = row[0] - labels[r];
    loss += static_cast<double>(error) * error;
    row[0] = 2 * error * share;
  }
  return loss / static_cast<double>(labels.size());
}

void LabelDecoder::save(Document& document) const {
  const std::vector<DenseLayer>& layers = averages_.empty() ? layers_ : averages_;
  for (std::size_t k = 0; k < layers.size(); ++k) layers[k].save(document, layer_name(k));
}

void LabelDecoder::check(const Document& document, const std::string& path, std::size_t dim,
                         LabelType type, std::size_t classes) {
  const auto units = label_units(type, classes);
  for (std::size_t k = 0; k < units.size(); ++k) {
    if (k == 0) {
      shaped_tensor(document, path, layer_name(k) + ".weight", {units[k], dim}, Dtype::f32,
                    "the width follows from memory_dim, edge_features and label_task_* (of_event, "
                    "features, history, ages) of metadata tgn.*, and from the number of classes");
    }
    DenseLayer::check(document, path, layer_name(k), {dim, units[k]});
    dim = units[k];
  }
}

void LabelDecoder::load(const Document& document, const std::string& path) {
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    layers_[k].load(document, path, layer_name(k));
    if (!averages_.empty()) averages_[k].load(document, path, layer_name(k));
  }
}

void LabelDecoder::save_state(Document& document) const {
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    layers_[k].save_state(document, layer_name(k));
    if (!averages_.empty()) layers_[k].save(document, trained_name(k));
  }
}

void LabelDecoder::load_state(const Document& document, const std::string& path) {
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    layers_[k].load_state(document, path, layer_name(k));
    if (!averages_.empty()) layers_[k].load(document, path, trained_name(k));
  }
}

}  // namespace frugal::tgn
