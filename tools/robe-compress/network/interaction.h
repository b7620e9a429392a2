#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/dense_layer.h"

namespace frugal::robe {

/// What an interaction keeps of a batch between its passes.
class InteractionBatch {
 public:
  virtual ~InteractionBatch() = default;
};

/// Rows [begin, end) of a batch. A sample is `dim` numbers of its dense vector, where there is one,
/// and as many of each field: dense: [batch, dim] or no columns, embeddings: [batch, fields * dim].
struct InteractionInput {
  MatrixView<const float> dense;
  MatrixView<const float> embeddings;
  std::size_t begin = 0, end = 0;
  MatrixView<const float> numbers = {};  ///< as the sample has them, [batch, numbers]
};

/// The gradients of the same; written.
struct InteractionGradient {
  MatrixView<float> dense;
  MatrixView<float> embeddings;
};

/// How many vectors a sample has, the dense one the first of them. num_numbers: as wide is the
/// dense vector where no bottom layers make it.
struct InteractionShape {
  std::size_t num_fields = 0, dim = 0;
  bool has_dense = false;
  std::size_t num_numbers = 0;

  std::size_t num_vectors() const { return num_fields + (has_dense ? 1 : 0); }
};

/// A layer with the name of its tensors behind "network.".
struct NamedShape {
  std::string name;
  DenseShape shape;
};

/// What makes features for the top layers of a sample's vectors.
class Interaction {
 public:
  virtual ~Interaction() = default;
  virtual std::size_t num_features() const = 0;
  virtual std::unique_ptr<InteractionBatch> make_batch(std::size_t size, bool training) const = 0;
  /// features: [batch, num_features()]; logits [batch]: what goes past the top layers is added.
  virtual void forward(const InteractionInput& input, InteractionBatch& batch,
                       MatrixView<float> features, std::span<float> logits) const = 0;
  /// From the gradients of features and logits.
  virtual void backward(const InteractionInput& input, InteractionBatch& batch,
                        MatrixView<const float> dfeatures, std::span<const float> dlogits,
                        const InteractionGradient& gradient) const = 0;

  /// Layers of its own.
  virtual std::vector<DenseLayer*> layers() { return {}; }
  /// What the gradient of one's weights is made of: rows [0, end).
  virtual LayerRows rows_of(std::size_t layer, const InteractionBatch& batch,
                            std::size_t end) const;
};

/// out: [batch, vectors * dim]; rows [begin, end).
void concatenate(const InteractionInput& input, MatrixView<float> out);
/// The gradients are parts of the rows of `concatenated`.
void split_gradient(const InteractionInput& input, MatrixView<const float> concatenated,
                    const InteractionGradient& gradient);

}  // namespace frugal::robe
