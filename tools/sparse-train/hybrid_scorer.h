#pragma once
#include <memory>
#include <span>

#include "tools/sparse-train/data/scorer.h"

namespace frugal {

/// Ranks labels by kForestWeight times a forest's probability of the label and, for the rest, a
/// network's. What softmax gives a label is a share of the labels of an example: times their mean
/// number, but at most 1, it is what the forest says, the probability to be among them. (Held-out
/// tenths of wordnet-hypernyms and debian-depends: with the plain mean P@1 fell below the forest's
/// by 0.4 points, or stayed; so it rises by 0.2 and 0.6.) Of each scorer the labels that it ranks
/// first are looked at, some more than are asked for; a label that only one of them ranks so high
/// has the probability 0 for the other.
class HybridScorer : public Scorer {
 public:
  static constexpr float kForestWeight = 0.7F;

  /// How many labels the two are to rank for the mean's `top_k`.
  static std::size_t num_candidates(std::size_t top_k);

  /// labels_per_share: what the network's scores are multiplied with; 1 where they are
  /// probabilities of labels.
  HybridScorer(std::unique_ptr<Scorer> forest, std::unique_ptr<Scorer> network, std::size_t top_k,
               double labels_per_share);

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  std::size_t k() const override { return k_; }

 private:
  void merge(std::span<const ScoredLabel> forest, std::span<const ScoredLabel> network,
             std::vector<ScoredLabel>& out) const;

  std::unique_ptr<Scorer> forest_;
  std::unique_ptr<Scorer> network_;
  std::size_t k_;
  float labels_per_share_;
};

}  // namespace frugal
