#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/view.h"
#include "libcore/nn/dense_layer.h"
#include "libcore/nn/optimizer.h"
#include "libcore/tensors/tensor_file.h"

namespace frugal::robe {

struct NetworkShape;

/// State of a network for a batch between its passes. Each batch in flight needs one.
class NetworkBatch {
 public:
  virtual ~NetworkBatch() = default;
};

/// Rows [begin, end) of a batch: [batch, numbers] and [batch, fields * dim].
struct NetworkInput {
  MatrixView<const float> numbers;
  MatrixView<const float> embeddings;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The part of a click model above the embedding tables: computes a logit from numbers and
/// embeddings. Passes process ranges of a batch's rows; disjoint ranges may run on any number of
/// threads. Parameters are divided into pieces that are stepped independently, so results do not
/// depend on the threads.
class Network {
 public:
  virtual ~Network() = default;
  /// Name of the architecture: "dlrm", "dcn", ...
  virtual const std::string& architecture() const = 0;
  virtual const NetworkShape& shape() const = 0;
  virtual std::uint64_t num_parameters() const = 0;

  /// Makes room for a batch of at most `size` samples. training: also for the backward pass.
  virtual std::unique_ptr<NetworkBatch> make_batch(std::size_t size, bool training) const = 0;
  /// Computes logits[i] for rows i in [begin, end). logits: [batch].
  virtual void forward(const NetworkInput& input, NetworkBatch& batch,
                       std::span<float> logits) const = 0;
  /// Must follow forward() for the same rows. gradient: [batch], d loss / d logits, already divided
  /// by the batch size. Overwrites rows [begin, end) of dembeddings, [batch, fields * dim].
  virtual void backward(const NetworkInput& input, NetworkBatch& batch,
                        std::span<const float> gradient, MatrixView<float> dembeddings) const = 0;

  virtual void prepare_training(const OptimizerOptions& optimizer) = 0;
  virtual std::size_t num_pieces() const = 0;
  /// Computes the gradient of a piece's parameters over samples [0, input.end), and makes the
  /// optimiser's step.
  virtual void step_piece(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                          float rate) = 0;
  /// The two halves of step_piece(). The gradients of all pieces are concatenated,
  /// [gradient_size()].
  virtual std::size_t gradient_size() const = 0;
  virtual void piece_gradient(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                              std::span<float> gradients) const = 0;
  virtual void apply_gradient(std::size_t piece, std::span<const float> gradients, float rate) = 0;

  /// All layers with the names of their tensors ("network.top.0", ...), for device engines.
  struct NamedLayer {
    std::string name;
    DenseLayer* layer;
  };
  virtual std::vector<NamedLayer> layers() = 0;

  /// Adds tensors "network.*" and metadata "network.*", which load_network() reads.
  virtual void save(Document& document) const = 0;
  /// Saves or loads the optimiser's state: tensors "network.state.*".
  virtual void save_state(Document& document) const = 0;
  virtual void load_state(const Document& document, const std::string& path) = 0;
};

}  // namespace frugal::robe
