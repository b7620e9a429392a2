#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/hash.h"
#include "libcore/base/rng.h"
#include "libcore/base/view.h"
#include "libcore/kernels/gemm.h"
#include "libcore/metrics/named_values.h"
#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/network.h"

namespace frugal::sparse {

/// The present batch, as input of the stages of an output layer.
struct Batch {
  std::uint64_t number = 0;                 ///< number of the batch in the run
  std::span<const std::uint32_t> examples;  ///< rows of the data
  MatrixView<const float> hidden;           ///< [examples, hidden + 1], the last column is 1
  MatrixView<float> hidden_gradient;        ///< [examples, hidden + 1]; its last column is unused
  std::span<double> losses;                 ///< [examples]
  float rate = 0;                           ///< learning rate, times the optimiser's rate_factor()

  std::size_t size() const { return examples.size(); }
};

/// Figures and remarks about the outputs: figures for the log and the result, by name; sentences
/// for people; and warnings that a setting has no benefit.
struct OutputFigures {
  NamedValues values;
  std::vector<std::string> remarks;
  std::vector<std::string> warnings;
};

/// The part of training that depends on how outputs are chosen. The trainer computes the hidden
/// units of a whole batch, then runs stages 0, 1, ... of the layer one after another. The pieces of
/// a stage may run on several threads, in any order. num_pieces(s) is called when all stages before
/// s are done. After the last stage, the losses and the gradient of the hidden units are written
/// and the rows of the labels are stepped. Pieces depend on the batch only, so results do not
/// depend on the number of threads.
class OutputLayer {
 public:
  static constexpr std::size_t kMostStages = 12;

  virtual ~OutputLayer() = default;

  /// Prepares a coming batch as far as possible without its hidden units. Runs on one thread,
  /// concurrently with the end of the batch before, after its stages.
  virtual void prepare(std::uint64_t, std::span<const std::uint32_t>) {}
  /// Makes the prepared batch the present one. Nothing else runs meanwhile.
  virtual void advance() {}

  virtual std::size_t num_stages() const = 0;  ///< at most kMostStages
  virtual std::size_t num_pieces(std::size_t stage, const Batch& batch) const = 0;
  virtual void run(std::size_t stage, std::size_t piece, const Batch& batch) = 0;

  /// True if the training thread must call synchronize() after this stage, while nothing else runs.
  virtual bool synchronizes_after(std::size_t) const { return false; }
  virtual void synchronize(std::size_t, const Batch&) {}

  /// Mean number of outputs that the present batch computed for an example.
  virtual double active_per_example() const = 0;

  /// Figures after an epoch; may probe the network.
  virtual OutputFigures figures() const { return {}; }

  /// Saves state for a checkpoint that does not follow from the network and the step. restore()
  /// fails (bad_input) with `path` if it does not fit.
  virtual void save(Document&) const {}
  virtual void restore(const Document&, const std::string&) {}
};

struct OutputOptions {
  std::uint32_t batch_size = 64;
  std::uint32_t negatives = 1024;  ///< shared: labels drawn for each batch
  bool correct_sampling = true;    ///< shared: subtract log-inclusion probabilities
  std::uint64_t seed = 0;
  OptimizerOptions optimizer;
  Precision precision = Precision::f32;
  /// shards of the labels, which are summed separately (sharded_output.h)
  std::uint32_t shards = 1;
};

/// Random numbers that round a batch's bf16 rows of labels, one key for each label.
inline Rng rounding_keys(std::uint64_t seed, std::uint64_t batch) {
  constexpr std::uint64_t kRoundingStream = 13;
  return Rng(seed, hash_combine(kRoundingStream, batch));
}

}  // namespace frugal::sparse
