#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/tgn-train/data/event_times.h"
#include "tools/tgn-train/mix/key_mix.h"

namespace frugal::tgn {

/// An event and other destinations that it is told apart from.
struct MixSample {
  EventId event = kNoEvent;
  /// Its destination, a negative drawn uniformly, and more candidates without duplicates.
  std::vector<NodeId> candidates;
  /// Number of destinations that each of the candidates stands for, 0 for the negative.
  std::vector<float> counts;
  std::vector<float> inputs;  ///< [candidates, num_inputs()]

  /// kMixInputs or, of a stream with edge types, kTypedMixInputs.
  std::size_t num_inputs() const { return inputs.size() / candidates.size(); }
};

/// How well a prediction orders the samples' candidates.
struct MixMerit {
  double mrr = 0;  ///< mean reciprocal rank among all destinations, estimated by the counts
  double average_precision = 0;  ///< of the events among them and their negatives

  /// True if both are at least as good.
  bool covers(const MixMerit& other) const {
    return mrr >= other.mrr && average_precision >= other.average_precision;
  }
  double mean() const { return (mrr + average_precision) / 2; }
};

/// The predictor that a model answers with, and the figures that chose it.
struct MixChoice {
  std::string predictor = "network";  ///< mix, network or heuristic
  std::optional<LinkMix> mix;         ///< none: the network alone
  bool fits_memory = true;            ///< false: no choice, keys may not have fitted into memory
  std::string start;                  ///< name of the best order without learning
  std::uint64_t fit_events = 0, choice_events = 0;
  MixMerit heuristic, network, mixed;  ///< on the events of the choice
  /// For each input, how much the mix loses on the events of the choice without its function.
  std::vector<std::pair<std::string, double>> contributions;
};

/// Fits a mix to the first `fit` samples and keeps it if it is better on the others than the best
/// order without learning, and than the network; otherwise the better of these. Then fits it again
/// to all samples. samples: in the order of the stream. check: called often, and may throw; may be
/// null.
MixChoice choose_mix(const std::vector<MixSample>& samples, std::size_t fit, double time_unit,
                     std::uint64_t seed, const std::function<void()>& check = nullptr);

/// Merit of a prediction that gives a candidate a score from its inputs.
MixMerit merit_of(std::span<const MixSample> samples,
                  const std::function<float(const float* inputs)>& score);

}  // namespace frugal::tgn
