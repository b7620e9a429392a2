// What the model does with its parameters: steps, files.
#include <algorithm>

#include "libcore/threading/parallel.h"
#include "tools/gnn-sample/network/gnn_model.h"

namespace frugal {

/// In the order of the layers, each with its full name.
std::vector<ParameterTensor> GnnModel::tensors() {
  std::vector<ParameterTensor> all;
  for (Layer& layer : layers_) {
    for (ParameterTensor& tensor : layer.conv->tensors()) {
      tensor.name = layer.name + "." + tensor.name;
      all.push_back(std::move(tensor));
    }
    if (layer.norm == nullptr) continue;
    const Shape shape = {layer.norm->dim()};
    all.push_back({layer.norm_name + ".weight", &layer.norm->gamma(), shape});
    all.push_back({layer.norm_name + ".bias", &layer.norm->beta(), shape});
  }
  return all;
}

/// Each once.
std::vector<Weights*> GnnModel::weights() {
  std::vector<Weights*> all;
  for (const ParameterTensor& tensor : tensors()) {
    if (std::find(all.begin(), all.end(), tensor.weights) == all.end()) {
      all.push_back(tensor.weights);
    }
  }
  return all;
}

std::size_t GnnModel::num_parameters() {
  std::size_t sum = 0;
  for (const Weights* w : weights()) sum += w->size();
  return sum;
}

void GnnModel::prepare_training(const OptimizerOptions& optimizer) {
  const std::string first = layers_.front().name + ".";
  for (const ParameterTensor& tensor : tensors()) {
    const bool decays = !options_.decay_first_only || tensor.name.starts_with(first);
    tensor.weights->prepare_training(optimizer, decays ? options_.weight_decay : 0);
  }
}

void GnnModel::step(float rate) {
  std::vector<std::pair<Weights*, std::size_t>> pieces;
  const std::vector<Weights*> all = weights();
  for (Weights* w : all) {
    for (std::size_t p = 0; p < w->num_pieces(); ++p) pieces.emplace_back(w, p);
  }
  parallel_for(pieces.size(), 1,
               [&](std::size_t i) { pieces[i].first->step_piece(pieces[i].second, rate); });
  for (Weights* w : all) w->finish_step();
}

std::vector<std::pair<std::string, std::vector<float>>> GnnModel::gradients() {
  std::vector<std::pair<std::string, std::vector<float>>> all;
  for (const ParameterTensor& tensor : tensors()) {
    const std::vector<float> total = tensor.weights->total_gradient();
    const std::size_t out = tensor.weights->out();
    const std::size_t rows = num_elements(tensor.shape) / out;
    std::vector<float> values;
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < rows; ++i) values.push_back(total[(tensor.begin + i) * out + o]);
    }
    all.emplace_back(tensor.name, std::move(values));
  }
  return all;
}

void GnnModel::save(Document& document) {
  for (const ParameterTensor& tensor : tensors()) {
    tensor.weights->save(document, tensor.name, tensor.shape, tensor.begin);
  }
  for (const Layer& layer : layers_) {
    if (layer.norm != nullptr) layer.norm->save_running(document, layer.norm_name);
  }
}

void GnnModel::load(const Document& document, const std::string& path) {
  for (const ParameterTensor& tensor : tensors()) {
    tensor.weights->load(document, path, tensor.name, tensor.shape, tensor.begin);
  }
  for (const Layer& layer : layers_) {
    if (layer.norm != nullptr) layer.norm->load_running(document, path, layer.norm_name);
  }
}

void GnnModel::save_state(Document& document) {
  std::vector<Weights*> saved;
  for (const ParameterTensor& tensor : tensors()) {
    if (std::find(saved.begin(), saved.end(), tensor.weights) != saved.end()) continue;
    saved.push_back(tensor.weights);
    tensor.weights->save_state(document, "optimizer." + tensor.name);
  }
}

void GnnModel::load_state(const Document& document, const std::string& path) {
  std::vector<Weights*> loaded;
  for (const ParameterTensor& tensor : tensors()) {
    if (std::find(loaded.begin(), loaded.end(), tensor.weights) != loaded.end()) continue;
    loaded.push_back(tensor.weights);
    tensor.weights->load_state(document, path, "optimizer." + tensor.name);
  }
}

}  // namespace frugal
