#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/nn/weights.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal {

/// A tensor of the model file: rows of a weight matrix.
struct ParameterTensor {
  std::string name;
  Weights* weights;
  Shape shape;
  std::size_t begin = 0;  ///< first row
  bool trained = true;    ///< false: a constant of the model
};

/// A trained matrix with the name of its first tensor.
struct NamedWeights {
  std::string name;
  Weights* weights;
};

/// The trained matrices of tensors, each once. Tensors of one matrix follow each other.
std::vector<NamedWeights> trained_weights(std::span<const ParameterTensor> tensors);
/// Number of parameters.
std::size_t count_parameters(std::span<const NamedWeights> weights);

/// Part of a weight matrix that one thread steps.
struct WeightPiece {
  Weights* weights;
  std::size_t number;
  std::size_t begin;  ///< offset of its gradient in the gradient of all weights
};
std::vector<WeightPiece> weight_pieces(std::span<const NamedWeights> weights);
/// Makes an optimiser step of all weights, on all threads.
void step_weights(std::span<const NamedWeights> weights, float rate);

/// For tests: the gradients since the last step, with the names and the layout of save_tensors().
std::vector<std::pair<std::string, std::vector<float>>> total_gradients(
    std::span<const ParameterTensor> tensors);

/// Saves or loads the tensors. Loading fails as Weights::load().
void save_tensors(std::span<const ParameterTensor> tensors, Document& document);
void load_tensors(std::span<const ParameterTensor> tensors, const Document& document,
                  const std::string& path);
/// Saves or loads the optimiser's state, in tensors "optimizer.<parameter>".
void save_states(std::span<const NamedWeights> weights, Document& document);
void load_states(std::span<const NamedWeights> weights, const Document& document,
                 const std::string& path);

}  // namespace frugal
