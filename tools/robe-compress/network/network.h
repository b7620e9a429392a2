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

/// What a network keeps of a batch between its passes; one for each batch in flight.
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

/// The part of a click model above the embedding tables: from numbers and embeddings to a logit.
/// Passes work on ranges of a batch's rows, disjoint ones on any number of threads at a time. The
/// parameters fall into pieces that are stepped independently, so that no bit depends on threads.
class Network {
 public:
  virtual ~Network() = default;
  /// "dlrm", "dcn" ...: the row of the architecture table that made it.
  virtual const std::string& architecture() const = 0;
  virtual const NetworkShape& shape() const = 0;
  virtual std::uint64_t num_parameters() const = 0;

  /// Room for a batch of at most `size` samples. training: also for the backward pass.
  virtual std::unique_ptr<NetworkBatch> make_batch(std::size_t size, bool training) const = 0;
  /// logits[i] for i in [begin, end); logits: [batch].
  virtual void forward(const NetworkInput& input, NetworkBatch& batch,
                       std::span<float> logits) const = 0;
  /// After forward() of the same rows. gradient: [batch], d loss / d logits, already divided by the
  /// batch size; dembeddings: [batch, fields * dim], rows [begin, end) are written.
  virtual void backward(const NetworkInput& input, NetworkBatch& batch,
                        std::span<const float> gradient, MatrixView<float> dembeddings) const = 0;

  virtual void prepare_training(const OptimizerOptions& optimizer) = 0;
  virtual std::size_t num_pieces() const = 0;
  /// Gradient of a piece's parameters over the samples [0, input.end), then the optimiser's step.
  virtual void step_piece(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                          float rate) = 0;
  /// The two apart: gradients of all pieces lie one behind the other, [gradient_size()].
  virtual std::size_t gradient_size() const = 0;
  virtual void piece_gradient(std::size_t piece, const NetworkInput& input, NetworkBatch& batch,
                              std::span<float> gradients) const = 0;
  virtual void apply_gradient(std::size_t piece, std::span<const float> gradients, float rate) = 0;

  /// All layers with the names of their tensors, "network.top.0" ...: for engines of devices.
  struct NamedLayer {
    std::string name;
    DenseLayer* layer;
  };
  virtual std::vector<NamedLayer> layers() = 0;

  /// Appends tensors "network.*" and metadata "network.*" that load_network() reads.
  virtual void save(Document& document) const = 0;
  /// The optimiser's state: tensors "network.state.*".
  virtual void save_state(Document& document) const = 0;
  virtual void load_state(const Document& document, const std::string& path) = 0;
};

}  // namespace frugal::robe
