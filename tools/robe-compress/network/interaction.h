#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/dense_layer.h"

namespace frugal::robe {

/// State of an interaction for a batch between its passes.
class InteractionBatch {
 public:
  virtual ~InteractionBatch() = default;
};

/// Rows [begin, end) of a batch. A sample has `dim` numbers for its dense vector, if there is one,
/// and as many for each field. dense: [batch, dim] or no columns; embeddings: [batch, fields *
/// dim].
struct InteractionInput {
  MatrixView<const float> dense;
  MatrixView<const float> embeddings;
  std::size_t begin = 0, end = 0;
  MatrixView<const float> numbers = {};  ///< numbers of the samples, [batch, numbers]
};

/// Gradients of the same shape, which are overwritten.
struct InteractionGradient {
  MatrixView<float> dense;
  MatrixView<float> embeddings;
};

/// Vectors of a sample; the dense one comes first. num_numbers: width of the dense vector if no
/// bottom layers make it.
struct InteractionShape {
  std::size_t num_fields = 0, dim = 0;
  bool has_dense = false;
  std::size_t num_numbers = 0;

  std::size_t num_vectors() const { return num_fields + (has_dense ? 1 : 0); }
};

/// A layer, with the name of its tensors after "network.".
struct NamedShape {
  std::string name;
  DenseShape shape;
};

/// Computes features for the top layers from a sample's vectors.
class Interaction {
 public:
  virtual ~Interaction() = default;
  virtual std::size_t num_features() const = 0;
  virtual std::unique_ptr<InteractionBatch> make_batch(std::size_t size, bool training) const = 0;
  /// Computes features, [batch, num_features()]. Adds contributions that bypass the top layers to
  /// logits, [batch].
  virtual void forward(const InteractionInput& input, InteractionBatch& batch,
                       MatrixView<float> features, std::span<float> logits) const = 0;
  /// Computes the input's gradients from those of features and logits.
  virtual void backward(const InteractionInput& input, InteractionBatch& batch,
                        MatrixView<const float> dfeatures, std::span<const float> dlogits,
                        const InteractionGradient& gradient) const = 0;

  /// Layers of the interaction itself.
  virtual std::vector<DenseLayer*> layers() { return {}; }
  /// Rows [0, end) from which the gradient of one of its layers is computed.
  virtual LayerRows rows_of(std::size_t layer, const InteractionBatch& batch,
                            std::size_t end) const;
};

/// Concatenates the vectors of rows [begin, end). out: [batch, vectors * dim].
void concatenate(const InteractionInput& input, MatrixView<float> out);
/// Splits the gradient of concatenate()'s result into the parts of the input.
void split_gradient(const InteractionInput& input, MatrixView<const float> concatenated,
                    const InteractionGradient& gradient);

}  // namespace frugal::robe
