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

/// The batch in progress, as the stages of an output layer see it.
struct Batch {
  std::uint64_t number = 0;                 ///< of the batch in the run
  std::span<const std::uint32_t> examples;  ///< rows of the data
  MatrixView<const float> hidden;           ///< [examples, hidden + 1], the last column is 1
  MatrixView<float> hidden_gradient;  ///< [examples, hidden + 1]; nobody reads its last column
  std::span<double> losses;           ///< [examples]
  float rate = 0;                     ///< learning rate, times the optimiser's rate_factor()

  std::size_t size() const { return examples.size(); }
};

/// What is worth telling of the outputs: figures for the log and the result, by name, and sentences
/// for people, of which the warnings say that a setting does no good.
struct OutputFigures {
  NamedValues values;
  std::vector<std::string> remarks;
  std::vector<std::string> warnings;
};

/// The part of training that depends on how outputs are chosen. The trainer computes the hidden
/// units of a whole batch, then runs the stages 0, 1, ... of the layer one after the other. The
/// pieces of a stage may run on several threads at the same time, in any order; num_pieces(s) is
/// asked when all stages before s are done. After the last stage the losses and the gradient of the
/// hidden units are written and the rows of the labels have been stepped. Pieces depend on the
/// batch alone, never on the number of threads, so that results do not either.
class OutputLayer {
 public:
  static constexpr std::size_t kMostStages = 12;

  virtual ~OutputLayer() = default;

  /// Chooses what a coming batch can choose without its hidden units. Runs on one thread beside the
  /// end of the batch before, when its stages are done.
  virtual void prepare(std::uint64_t, std::span<const std::uint32_t>) {}
  /// Makes the prepared batch the current one; nothing else runs.
  virtual void advance() {}

  virtual std::size_t num_stages() const = 0;  ///< at most kMostStages
  virtual std::size_t num_pieces(std::size_t stage, const Batch& batch) const = 0;
  virtual void run(std::size_t stage, std::size_t piece, const Batch& batch) = 0;

  /// Whether something must be done between this stage and the next: meet(), by the thread that
  /// trains, while nothing else runs.
  virtual bool meets_after(std::size_t) const { return false; }
  virtual void meet(std::size_t, const Batch&) {}

  /// Outputs that the current batch computed for an example, on average.
  virtual double active_per_example() const = 0;

  /// What is worth telling after an epoch; probes the network where it has to.
  virtual OutputFigures figures() const { return {}; }

  /// What depends on more than the network and the step, and must be in a checkpoint. restore()
  /// fails (bad_input) naming `path` where it does not fit.
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
  std::uint32_t shards = 1;  ///< of the labels, whose sums are made apart (sharded_output.h)
};

/// Draws the keys by which a batch's rows of labels, kept as bf16, are rounded: one by label.
inline Rng rounding_keys(std::uint64_t seed, std::uint64_t batch) {
  constexpr std::uint64_t kRoundingStream = 13;
  return Rng(seed, hash_combine(kRoundingStream, batch));
}

}  // namespace frugal::sparse
