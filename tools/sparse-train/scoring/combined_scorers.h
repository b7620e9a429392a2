#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/metrics/ranking.h"
#include "tools/sparse-train/scoring/decisions.h"
#include "tools/sparse-train/scoring/evaluation.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

/// Worth of a correct answer, for each label. propensity: inverse propensity (Jain, Prabhu and
/// Varma, KDD 2016). balanced: inverse frequency in training. none: empty. Fails (usage) on another
/// name.
std::vector<float> label_worths(const std::string& kind, const LabelCounts& training,
                                const PropensityConstants& propensity);

/// Ranks by probability times worth, the expected gain, among the labels that another scorer ranks
/// first. Scores remain probabilities.
class WeightedScorer : public Scorer {
 public:
  /// Number of labels that the other scorer must rank for `top_k`.
  static std::size_t num_candidates(std::size_t top_k);

  WeightedScorer(std::unique_ptr<Scorer> scorer, std::vector<float> worths, std::size_t top_k);

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  std::size_t k() const override { return k_; }

 private:
  std::unique_ptr<Scorer> scorer_;
  std::vector<float> worths_;
  std::size_t k_;
};

/// Another scorer's ranking with calibrated probabilities. An example without known features gets
/// the label frequencies of the training data.
class CalibratedScorer : public Scorer {
 public:
  /// Number of labels that the other scorer must rank for `top_k`. With shares it is larger,
  /// because the shares of an example's labels depend on each other.
  static std::size_t num_candidates(const Decisions& decisions, std::size_t top_k);

  CalibratedScorer(std::unique_ptr<Scorer> scorer, const Decisions& decisions,
                   const LabelCounts& training, std::size_t top_k);

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  std::size_t k() const override { return k_; }

 private:
  std::unique_ptr<Scorer> scorer_;
  const Decisions& decisions_;
  std::vector<ScoredLabel> commonest_;  ///< k_ labels
  std::size_t k_;
};

/// Weights for combining a network's scores with a forest's probabilities.
struct HybridMix {
  float forest_weight = 0.5F;  ///< weight of the forest; the network has the rest
  float labels_per_share = 1;  ///< factor of the network's scores, whose product is at most 1
  bool roots = false;          ///< squares the mean of square roots instead of taking the mean

  /// For a network whose scores are probabilities of labels: equal weights.
  static HybridMix of_probabilities() { return {}; }
  /// For a softmax network, whose score is a label's share of an example's labels. Multiplied by
  /// the mean number of labels, it is a probability like the forest's. Means of roots rank better
  /// here.
  static HybridMix of_shares(double labels_per_example) {
    return {0.8F, static_cast<float>(labels_per_example), true};
  }
};

/// Ranks labels by a weighted mean of a forest's and a network's probabilities. Uses the labels
/// that each scorer ranks first, some more than requested; a label that only one of them returns
/// has probability 0 for the other. Weights and roots were chosen on held-out training data.
/// Probabilities: P@1 is 0.5 to 2 points above the forest's on bibtex, stackex_cs, delicious and
/// citeulike-t; roots are no better, and cost 0.4 points of P@5 on citeulike-t. Shares, P@1 / 3 of
/// the forest, of the mean with its best weight, and of roots: debian-depends 79.7 / 51.8, 79.7 /
/// 52.3, 79.8 / 52.4, wordnet-hypernyms 89.5 / 80.5, 89.6 / 80.7, 89.6 / 80.7, yso-finna-en 36.7 /
/// 22.8, 37.0 / 23.0, 37.7 / 23.3.
class HybridScorer : public Scorer {
 public:
  /// Number of labels that the two scorers must rank for `top_k`.
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

}  // namespace frugal::sparse
