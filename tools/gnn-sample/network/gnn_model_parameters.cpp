// Parameters of the model: optimiser steps and files.
#include <algorithm>

#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal::gnn {

/// All tensors in the order of the layers, with full names.
std::vector<ParameterTensor> GnnModel::tensors() {
  std::vector<ParameterTensor> all;
  if (hop_mean_.size() != 0) {
    all.push_back({"hops.mean", &hop_mean_, {num_inputs()}, 0, false});
    all.push_back({"hops.factor", &hop_factor_, {num_inputs()}, 0, false});
  }
  for (Layer& layer : layers_) {
    for (ParameterTensor& tensor : layer.conv->tensors()) {
      tensor.name = layer.name + "." + tensor.name;
      all.push_back(std::move(tensor));
    }
    if (!layer.shortcut.empty()) {
      const std::string number = layer.name.substr(layer.name.find('.') + 1);
      for (ParameterTensor& tensor : layer.shortcut.tensors("res_linears." + number)) {
        all.push_back(std::move(tensor));
      }
    }
    const auto add_norm = [&](const std::string& name, auto& norm) {
      all.push_back({name + ".weight", &norm.gamma(), {norm.dim()}});
      all.push_back({name + ".bias", &norm.beta(), {norm.dim()}});
    };
    if (layer.norm != nullptr) add_norm(layer.norm_name, *layer.norm);
    if (layer.row_norm != nullptr) add_norm(layer.norm_name, *layer.row_norm);
  }
  return all;
}

void GnnModel::visit_weights(const std::function<void(const std::string&, Weights&, bool)>& visit) {
  const Weights* last = nullptr;
  for (const ParameterTensor& tensor : tensors()) {
    if (tensor.weights != last) visit(tensor.name, *tensor.weights, tensor.trained);
    last = tensor.weights;
  }
}

void GnnModel::visit_norms(const std::function<void(const std::string&, BatchNorm&)>& visit) {
  for (const Layer& layer : layers_) {
    if (layer.norm != nullptr) visit(layer.norm_name, *layer.norm);
  }
}

std::size_t GnnModel::num_parameters() { return count_parameters(weights()); }

void GnnModel::set_hop_scaling(const HopScaling& scaling) {
  std::copy(scaling.mean.begin(), scaling.mean.end(), hop_mean_.values().data);
  std::copy(scaling.factor.begin(), scaling.factor.end(), hop_factor_.values().data);
}

HopScaling GnnModel::hop_scaling() const {
  const auto mean = hop_mean_.values().row_span(0), factor = hop_factor_.values().row_span(0);
  return {{mean.begin(), mean.end()}, {factor.begin(), factor.end()}};
}

void GnnModel::prepare_training(const OptimizerOptions& optimizer) {
  const std::string first = layers_.front().name + ".";
  for (const NamedWeights& w : weights()) {
    const bool decays = !options_.decay_first_only || w.name.starts_with(first);
    w.weights->prepare_training(optimizer, decays ? options_.weight_decay : 0);
  }
}

void GnnModel::step(float rate) { step_weights(weights(), rate); }

std::size_t GnnModel::gradient_size() {
  const WeightPiece last = weight_pieces(weights()).back();
  return last.begin + last.weights->gradient_size(last.number);
}

std::vector<float> GnnModel::take_gradient() {
  const std::vector<NamedWeights> named = weights();
  std::vector<float> gradient(gradient_size());
  const std::vector<WeightPiece> all = weight_pieces(named);
  parallel_for(all.size(), 1, [&](std::size_t i) {
    const auto [weights, number, begin] = all[i];
    weights->piece_gradient(number,
                            std::span(gradient).subspan(begin, weights->gradient_size(number)));
  });
  for (const NamedWeights& w : named) w.weights->finish_step();
  return gradient;
}

void GnnModel::apply_gradient(std::span<const float> gradient, float rate) {
  const std::vector<WeightPiece> all = weight_pieces(weights());
  parallel_for(all.size(), 1, [&](std::size_t i) {
    const auto [weights, number, begin] = all[i];
    weights->apply_gradient(number, gradient.subspan(begin, weights->gradient_size(number)), rate);
  });
}

std::vector<std::pair<std::string, std::vector<float>>> GnnModel::gradients() {
  return total_gradients(tensors());
}

void GnnModel::save(Document& document) {
  save_tensors(tensors(), document);
  for (const Layer& layer : layers_) {
    if (layer.norm != nullptr) layer.norm->save_running(document, layer.norm_name);
  }
}

void GnnModel::load(const Document& document, const std::string& path) {
  load_tensors(tensors(), document, path);
  for (const Layer& layer : layers_) {
    if (layer.norm != nullptr) layer.norm->load_running(document, path, layer.norm_name);
  }
}

void GnnModel::save_state(Document& document) { save_states(weights(), document); }

void GnnModel::load_state(const Document& document, const std::string& path) {
  load_states(weights(), document, path);
}

}  // namespace frugal::gnn
