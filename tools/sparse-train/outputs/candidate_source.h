#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "libcore/tensors/tensor_file.h"
#include "tools/sparse-train/outputs/output_layer.h"

namespace frugal::sparse {

/// Finds outputs for an example that are hard to tell from its own labels: from hash tables, a
/// label tree ... Deterministic functions of (seed, batch, example), whatever the number of
/// threads.
class CandidateSource {
 public:
  static constexpr std::size_t kMostStages = 4;

  virtual ~CandidateSource() = default;

  /// Work before the batch's candidates can be asked for, such as building hash tables anew from
  /// the rows of the labels: stages of pieces as in OutputLayer. Mostly none is due (no pieces).
  virtual std::size_t num_stages() const { return 0; }  ///< at most kMostStages
  virtual std::size_t num_pieces(std::size_t, const Batch&) const { return 0; }
  virtual void run(std::size_t, std::size_t, const Batch&) {}

  /// Appends the candidates of the k-th example of the batch; labels of the example itself and
  /// repetitions may be among them. Runs for several examples at the same time.
  virtual void candidates(const Batch& batch, std::size_t k,
                          std::vector<std::uint32_t>& out) const = 0;

  /// The share of examples that have `label` among their candidates though it is not one of their
  /// own, as far as it is known; for the sampling correction.
  virtual float frequency(std::uint32_t label) const = 0;

  /// As OutputLayer's.
  virtual OutputFigures figures() const { return {}; }
  virtual void save(Document&) const {}
  virtual void restore(const Document&, const std::string&) {}
};

}  // namespace frugal::sparse
