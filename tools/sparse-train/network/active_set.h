#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/sparse-train/data/dataset.h"

namespace frugal {

/// The outputs that a batch computes, and where each example's own labels are among them.
struct ActiveSet {
  std::vector<std::uint32_t> labels;        ///< without repetition
  std::vector<float> log_inclusion;         ///< [labels] log of the probability to be here
  std::vector<std::uint32_t> target_begin;  ///< CSR over the batch's examples
  std::vector<std::uint32_t> targets;       ///< positions in `labels`

  std::span<const std::uint32_t> targets_of(std::size_t k) const {
    return {targets.data() + target_begin[k], targets.data() + target_begin[k + 1]};
  }
};

/// A source of outputs that are worth contrasting with a batch's own labels.
class CandidateSource {
 public:
  virtual ~CandidateSource() = default;
  /// Calls add(label) for each candidate, repetitions allowed. A function of (seed, batch number,
  /// examples).
  virtual void candidates(std::uint64_t batch, std::span<const std::uint32_t> examples,
                          std::vector<std::uint32_t>& out) const = 0;
  /// log of the probability that none of a batch's draws is `label`, for the sampling correction.
  virtual double log_missed(std::uint32_t label) const = 0;
};

/// `count` labels a batch, drawn uniformly with replacement.
class UniformCandidates : public CandidateSource {
 public:
  UniformCandidates(std::uint32_t num_labels, std::uint32_t count, std::uint64_t seed);
  void candidates(std::uint64_t batch, std::span<const std::uint32_t> examples,
                  std::vector<std::uint32_t>& out) const override;
  double log_missed(std::uint32_t label) const override;

 private:
  std::uint32_t num_labels_;
  std::uint32_t count_;
  std::uint64_t seed_;
  double log_missed_;
};

/// Builds the active set that all examples of a batch share: the union of their labels and the
/// candidates. A label that a fraction f of all examples carries is in the set of a batch of B
/// examples with probability Q = 1 - (1 - f)^B * P(no draw hits it); log Q is the correction that
/// makes the sampled loss an estimate of the full one.
class SharedActiveSet {
 public:
  /// `source` must outlive this object.
  SharedActiveSet(const Dataset& data, const CandidateSource& source);
  void build(std::uint64_t batch, std::span<const std::uint32_t> examples, ActiveSet& out);

 private:
  std::uint32_t position_of(std::uint32_t label, ActiveSet& out);

  const Dataset& data_;
  const CandidateSource& source_;
  std::vector<float> log_absent_;        ///< log(1 - f) of each label
  std::vector<std::uint32_t> position_;  ///< of each label in the set, plus 1; 0 = not in it
  std::vector<std::uint32_t> candidates_;
};

}  // namespace frugal
