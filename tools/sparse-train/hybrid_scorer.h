#pragma once
#include <memory>
#include <span>

#include "tools/sparse-train/data/scorer.h"

namespace frugal {

/// How a network's scores go together with a forest's probabilities of labels.
struct HybridMix {
  float forest_weight = 0.5F;  ///< the network has the rest
  float labels_per_share = 1;  ///< what the network's scores are multiplied with, up to 1

  /// A network whose scores are probabilities of labels: as good as the forest.
  static HybridMix of_probabilities() { return {}; }
  /// Softmax gives a label a share of the labels of an example: times their mean number it is what
  /// the forest says, the probability to be among them.
  static HybridMix of_shares(double labels_per_example) {
    return {0.7F, static_cast<float>(labels_per_example)};
  }
};

/// Ranks labels by a weighted mean of a forest's and a network's probabilities. Of each scorer the
/// labels that it ranks first are looked at, some more than are asked for; a label that only one of
/// them ranks so high has the probability 0 for the other. The weights are the best on parts of the
/// training data held out: 0.5 of bibtex, stackex_cs and citeulike-t (P@1 is 0.8 to 1.4 points
/// above the forest's), 0.7 of debian-depends (by 0.6; with 0.5 by 0.1) and wordnet-hypernyms (by
/// 0.2).
class HybridScorer : public Scorer {
 public:
  /// How many labels the two are to rank for the mean's `top_k`.
  static std::size_t num_candidates(std::size_t top_k);

  HybridScorer(std::unique_ptr<Scorer> forest, std::unique_ptr<Scorer> network, std::size_t top_k,
               const HybridMix& mix);

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  std::size_t k() const override { return k_; }

 private:
  void merge(std::span<const ScoredLabel> forest, std::span<const ScoredLabel> network,
             std::vector<ScoredLabel>& out) const;

  std::unique_ptr<Scorer> forest_;
  std::unique_ptr<Scorer> network_;
  std::size_t k_;
  HybridMix mix_;
};

}  // namespace frugal
