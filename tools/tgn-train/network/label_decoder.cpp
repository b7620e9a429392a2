#include "tools/tgn-train/network/label_decoder.h"

#include <algorithm>
#include <cassert>

#include "libcore/kernels/kernels.h"

namespace frugal::tgn {
namespace {

constexpr std::size_t kLabelUnits[] = {80, 10, 1};
constexpr std::uint64_t kLabelStream = 0x500;
/// First dropout number of the hidden units; embedding layers use smaller ones.
constexpr std::size_t kHiddenDropout = 0x20;

std::string layer_name(std::size_t layer) { return "node_label.fc_" + std::to_string(layer + 1); }

}  // namespace

LabelDecoder::LabelDecoder(std::size_t dim, float dropout) : dropout_(dropout) {
  for (const std::size_t out : kLabelUnits) {
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

void LabelDecoder::prepare_training(const OptimizerOptions& optimizer) {
  for (DenseLayer& layer : layers_) layer.prepare_training(optimizer);
}

/// Leaves the logits in logits_.
void LabelDecoder::forward(MatrixView<const float> embeddings, const TgnPass& pass) {
  const std::size_t n = embeddings.rows;
  assert(embeddings.cols == dim());
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    const std::size_t in = layers_[k].shape().in;
    inputs_[k].resize(n, in + 1);
    for (std::size_t r = 0; r < n; ++r) inputs_[k].view()(r, in) = 1;
  }
  for (std::size_t r = 0; r < n; ++r) {
    std::copy_n(embeddings.row(r), dim(), inputs_[0].view().row(r));
  }
  logits_.resize(n, 1);
  for (std::size_t k = 0; k + 1 < layers_.size(); ++k) {
    const std::size_t out = layers_[k].shape().out;
    layers_[k].forward(inputs_[k].view(), inputs_[k + 1].columns(0, out));
    draw_dropout(pass, kHiddenDropout + k, dropout_, n * out, keep_);
    for (std::size_t r = 0; r < n; ++r) {
      float* row = inputs_[k + 1].view().row(r);
      kernels().relu(row, out);
      for (std::size_t c = 0; c < out && !keep_.empty(); ++c) row[c] *= keep_[r * out + c];
    }
  }
  layers_.back().forward(inputs_.back().view(), logits_.view());
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

void LabelDecoder::score(MatrixView<const float> embeddings, std::span<float> logits) {
  assert(logits.size() == embeddings.rows);
  forward(embeddings, {});
  for (std::size_t r = 0; r < logits.size(); ++r) logits[r] = logits_.view()(r, 0);
}

double LabelDecoder::train(MatrixView<const float> embeddings, std::span<const std::uint8_t> labels,
                           const TgnPass& pass, float rate) {
  const std::size_t n = embeddings.rows;
  assert(labels.size() == n && pass.training);
  forward(embeddings, pass);
  // The cross-entropy of x is log(1 + exp(-x)) where the label is 1, else log(1 + exp(x)).
  std::vector<float> signed_logits(n);
  for (std::size_t r = 0; r < n; ++r) {
    signed_logits[r] = labels[r] != 0 ? -logits_.view()(r, 0) : logits_.view()(r, 0);
  }
  const double loss = static_cast<double>(kernels().logistic(signed_logits.data(), nullptr, n)) /
                      static_cast<double>(n);
  gradients_.back().resize(n, 1);
  for (std::size_t r = 0; r < n; ++r) {
    const float gradient = signed_logits[r] / static_cast<float>(n);
    gradients_.back().view()(r, 0) = labels[r] != 0 ? -gradient : gradient;
  }
  backward();
  steps_.take(rate);
  return loss;
}

void LabelDecoder::save(Document& document) const {
  for (std::size_t k = 0; k < layers_.size(); ++k) layers_[k].save(document, layer_name(k));
}

void LabelDecoder::check(const Document& document, const std::string& path, std::size_t dim) {
  for (std::size_t k = 0; k < std::size(kLabelUnits); ++k) {
    DenseLayer::check(document, path, layer_name(k), {dim, kLabelUnits[k]});
    dim = kLabelUnits[k];
  }
}

void LabelDecoder::load(const Document& document, const std::string& path) {
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    layers_[k].load(document, path, layer_name(k));
  }
}

void LabelDecoder::save_state(Document& document) const {
  for (std::size_t k = 0; k < layers_.size(); ++k) layers_[k].save_state(document, layer_name(k));
}

void LabelDecoder::load_state(const Document& document, const std::string& path) {
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    layers_[k].load_state(document, path, layer_name(k));
  }
}

}  // namespace frugal::tgn
