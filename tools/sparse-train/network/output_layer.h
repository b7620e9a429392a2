#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "libcore/base/array.h"
#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/active_set.h"
#include "tools/sparse-train/network/network.h"

namespace frugal {

/// The part of training that depends on how outputs are chosen. A batch goes through prepare(),
/// advance(), all pieces of gather(), forward_backward() of all its examples, all pieces of
/// update(). Calls of one step may run on several threads at the same time; the trainer separates
/// the steps. Pieces depend on the batch alone, so results do not depend on the number of threads.
class OutputLayer {
 public:
  virtual ~OutputLayer() = default;

  /// Chooses the outputs of a coming batch; may run beside update() of the batch before.
  virtual void prepare(std::uint64_t batch, std::span<const std::uint32_t> examples) = 0;
  /// Makes the prepared batch the current one.
  virtual void advance() = 0;

  virtual std::size_t num_gather_pieces() const = 0;
  virtual void gather(std::size_t piece) = 0;

  /// Losses and input gradients of examples [begin, begin + h.rows) of the batch.
  /// h: [n, hidden + 1], dh: [n, hidden + 1] (its last column is not a gradient), losses: [n].
  virtual void forward_backward(std::size_t begin, MatrixView<const float> h, MatrixView<float> dh,
                                std::span<double> losses) = 0;

  virtual std::size_t num_update_pieces() const = 0;
  /// h: [batch, hidden + 1] of the whole batch.
  virtual void update(std::size_t piece, MatrixView<const float> h, float rate) = 0;

  /// Outputs that the current batch computes.
  virtual std::size_t num_active() const = 0;
};

struct OutputOptions {
  std::uint32_t batch_size = 64;
  std::uint32_t negatives = 1024;  ///< shared: labels drawn for each batch
  bool correct_sampling = true;    ///< shared: subtract log-inclusion probabilities
  std::uint64_t seed = 0;
  OptimizerOptions optimizer;
  Precision precision = Precision::f32;
};

/// Every label for every example. `network` and `data` must outlive the layer.
std::unique_ptr<OutputLayer> make_dense_output(Network& network, const Dataset& data,
                                               const OutputOptions& options);
/// One active set for all examples of a batch (active_set.h): dense products on gathered rows.
std::unique_ptr<OutputLayer> make_shared_output(Network& network, const Dataset& data,
                                                const OutputOptions& options);

}  // namespace frugal
