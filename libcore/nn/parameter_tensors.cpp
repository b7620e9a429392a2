#include "libcore/nn/parameter_tensors.h"

#include "libcore/threading/parallel.h"

namespace frugal {

std::vector<NamedWeights> trained_weights(std::span<const ParameterTensor> tensors) {
  std::vector<NamedWeights> all;
  for (const ParameterTensor& tensor : tensors) {
    const bool known = !all.empty() && all.back().weights == tensor.weights;
    if (tensor.trained && !known) all.push_back({tensor.name, tensor.weights});
  }
  return all;
}

std::size_t count_parameters(std::span<const NamedWeights> weights) {
  std::size_t sum = 0;
  for (const NamedWeights& w : weights) sum += w.weights->size();
  return sum;
}

std::vector<WeightPiece> weight_pieces(std::span<const NamedWeights> weights) {
  std::vector<WeightPiece> pieces;
  std::size_t begin = 0;
  for (const NamedWeights& w : weights) {
    for (std::size_t p = 0; p < w.weights->num_pieces(); ++p) {
      pieces.push_back({w.weights, p, begin});
      begin += w.weights->gradient_size(p);
    }
  }
  return pieces;
}

void step_weights(std::span<const NamedWeights> weights, float rate) {
  const std::vector<WeightPiece> all = weight_pieces(weights);
  parallel_for(all.size(), 1,
               [&](std::size_t i) { all[i].weights->step_piece(all[i].number, rate); });
  for (const NamedWeights& w : weights) w.weights->finish_step();
}

std::vector<std::pair<std::string, std::vector<float>>> total_gradients(
    std::span<const ParameterTensor> tensors) {
  std::vector<std::pair<std::string, std::vector<float>>> all;
  for (const ParameterTensor& tensor : tensors) {
    if (!tensor.trained) continue;
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

void save_tensors(std::span<const ParameterTensor> tensors, Document& document) {
  for (const ParameterTensor& tensor : tensors) {
    tensor.weights->save(document, tensor.name, tensor.shape, tensor.begin);
  }
}

void load_tensors(std::span<const ParameterTensor> tensors, const Document& document,
                  const std::string& path) {
  for (const ParameterTensor& tensor : tensors) {
    tensor.weights->load(document, path, tensor.name, tensor.shape, tensor.begin);
  }
}

void save_states(std::span<const NamedWeights> weights, Document& document) {
  for (const NamedWeights& w : weights) w.weights->save_state(document, "optimizer." + w.name);
}

void load_states(std::span<const NamedWeights> weights, const Document& document,
                 const std::string& path) {
  for (const NamedWeights& w : weights) {
    w.weights->load_state(document, path, "optimizer." + w.name);
  }
}

}  // namespace frugal
