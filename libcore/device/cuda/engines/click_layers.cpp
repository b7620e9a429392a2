#include "libcore/device/cuda/engines/click_layers.h"

namespace frugal::cuda {
namespace {

/// Layers of those sizes and one of `last` units; all but, where it is told, the last have ReLU.
std::vector<DeviceLayer> make_layers(const std::string& name, std::uint32_t in,
                                     std::vector<std::uint32_t> sizes, std::uint32_t last,
                                     bool last_relu, const BatchFacts& batch,
                                     const RuleChoice& rule, Room& room, NamedArrays& arrays) {
  std::vector<DeviceLayer> layers;
  sizes.push_back(last);
  DeviceLayer::Ends ends;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const LayerShape shape{in, sizes[i], true, last_relu || i + 1 < sizes.size()};
    ends.half_output = batch.halves() && i + 1 < sizes.size() && sizes[i] > 1 && sizes[i + 1] > 1;
    layers.emplace_back(shape, batch, room, rule, ends);
    layers.back().name("network." + name + "." + std::to_string(i), arrays);
    in = sizes[i];
    ends.half_input = ends.half_output;
  }
  return layers;
}

void forward_layers(std::vector<DeviceLayer>& layers, RowsIn x, cudaStream_t stream) {
  for (DeviceLayer& layer : layers) {
    layer.forward(x, stream);
    x = layer.output_rows();
  }
}

/// The gradient of the last layer's output is there. dx: of the first one's input, or null.
void backward_layers(std::vector<DeviceLayer>& layers, const RowsIn& x, float* dx,
                     cudaStream_t stream) {
  layers.back().take_gradient(stream);
  for (std::size_t i = layers.size(); i-- > 0;) {
    layers[i].weight_gradient(i == 0 ? x : layers[i - 1].output_rows(), stream);
    if (i > 0) {
      layers[i].backward(layers[i - 1], stream);
    } else if (dx != nullptr) {
      layers[i].backward(dx, 0, stream);
    }
  }
}

}  // namespace

ClickLayers::ClickLayers(const Settings& settings, const BatchFacts& batch, Room& room,
                         NamedArrays& arrays)
    : batch_(batch),
      numbers_(static_cast<std::uint32_t>(settings.number("numbers"))),
      fields_(static_cast<std::uint32_t>(settings.number("fields"))),
      dim_(static_cast<std::uint32_t>(settings.number("dim"))) {
  if (batch.training) rule_ = rule_from(settings);
  const bool dense = numbers_ != 0;
  if (dense) {
    bottom_ = make_layers("bottom", numbers_, settings.sizes("network.bottom"), dim_, true, batch,
                          rule_, room, arrays);
  }
  interaction_ = make_interaction(settings, batch, fields_ + (dense ? 1 : 0), dense, room, arrays);
  const std::uint32_t features = interaction_->num_features();
  top_ = make_layers("top", features, settings.sizes("network.top"), 1, false, batch, rule_, room,
                     arrays);
  features_ = room.take_zeros<float>(std::uint64_t{batch.most} * features);
  if (interaction_->has_terms()) terms_ = room.take<float>(batch.most);
  if (batch.training) dfeatures_ = room.take<float>(std::uint64_t{batch.most} * features);
}

Vectors ClickLayers::vectors(const float* embeddings) const {
  const float* dense = bottom_.empty() ? nullptr : bottom_.back().output();
  return {dense, embeddings, fields_, dim_};
}

void ClickLayers::forward(const float* numbers, const float* embeddings, cudaStream_t stream) {
  forward_layers(bottom_, {numbers, numbers_}, stream);
  interaction_->forward(vectors(embeddings), features_.data(), terms_.data(), stream);
  forward_layers(top_, features(), stream);
  if (interaction_->has_terms()) {
    launch(add_terms, grid_for(batch_.most), dim3(kThreads), stream, batch_.values, terms_.data(),
           logits());
  }
}

void ClickLayers::backward(const float* numbers, const float* embeddings, float* dembeddings,
                           cudaStream_t stream) {
  backward_layers(top_, features(), dfeatures_.data(), stream);
  float* ddense = bottom_.empty() ? nullptr : bottom_.back().output_gradient();
  interaction_->backward(vectors(embeddings), dfeatures_.data(), dlogits(), {ddense, dembeddings},
                         stream);
  backward_layers(bottom_, {numbers, numbers_}, nullptr, stream);
}

void ClickLayers::round(cudaStream_t stream) const {
  for (const DeviceLayer& layer : bottom_) layer.round(stream);
  interaction_->round(stream);
  for (const DeviceLayer& layer : top_) layer.round(stream);
}

void ClickLayers::step(cudaStream_t stream) const {
  StepList steps;
  for (const DeviceLayer& layer : bottom_) layer.step(steps);
  interaction_->step(steps);
  for (const DeviceLayer& layer : top_) layer.step(steps);
  steps.run(rule_, stream);
}

}  // namespace frugal::cuda
