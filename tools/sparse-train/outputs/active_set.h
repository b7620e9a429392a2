#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/outputs/candidate_source.h"

namespace frugal::sparse {

/// Lists of positions in an active set, one for each example of a batch.
struct PositionLists {
  std::vector<std::uint32_t> begin{0};
  std::vector<std::uint32_t> positions;

  void clear();
  /// Ends the list of an example.
  void close() { begin.push_back(static_cast<std::uint32_t>(positions.size())); }
  std::span<const std::uint32_t> of(std::size_t k) const {
    return {positions.data() + begin[k], positions.data() + begin[k + 1]};
  }
};

/// The outputs that a batch computes.
struct ActiveSet {
  std::vector<std::uint32_t> labels;  ///< without repetition
  std::vector<float> log_inclusion;   ///< [labels] log Q: of the probability to be here by chance
  PositionLists targets;              ///< each example's own labels
  PositionLists hard;  ///< each example's candidates that are not its own, without repetition
};

/// Builds the active set that all examples of a batch share: the union of their labels, labels
/// drawn uniformly and, from a source, candidates of each example. An example's own labels and
/// candidates are there with certainty. Another label, one that a fraction f of all examples has
/// as label or candidate, is in the set of a batch of B examples with probability Q = 1 - (1 -
/// f)^(B-1) (1 - 1/L)^drawn; log Q is the correction that makes the sampled loss an estimate of the
/// full one.
class SharedActiveSet {
 public:
  /// drawn: labels a batch, drawn uniformly with replacement. `data` must outlive this object.
  SharedActiveSet(const Dataset& data, std::uint32_t drawn, std::uint64_t seed);

  /// Labels of the examples, and those drawn: a function of (seed, batch, examples).
  void build(std::uint64_t batch, std::span<const std::uint32_t> examples, ActiveSet& out);
  /// Adds what a source found for each example to the set built last.
  void add_candidates(std::span<const std::vector<std::uint32_t>> candidates,
                      const CandidateSource& source, ActiveSet& out);

 private:
  std::uint32_t position_of(std::uint32_t label, ActiveSet& out);
  void correct(std::size_t batch_size, const CandidateSource* source, ActiveSet& out) const;

  const Dataset& data_;
  std::uint32_t drawn_;
  std::uint64_t seed_;
  double log_not_drawn_;                 ///< log of the probability that no draw hits a label
  std::vector<float> frequency_;         ///< share of the examples with each label
  std::vector<std::uint32_t> position_;  ///< where each label stood in the last set that had it
  std::vector<std::uint32_t> last_user_;
};

}  // namespace frugal::sparse
