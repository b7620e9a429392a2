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

/// What a right answer is worth, by label: propensity = its inverse propensity (Jain, Prabhu and
/// Varma, KDD 2016), balanced = its inverse frequency in training; nothing for "none". Fails
/// (usage) on another name.
std::vector<float> label_worths(const std::string& kind, const LabelCounts& training,
                                const PropensityConstants& propensity);

/// Ranks by probability times worth, which is the largest gain to be expected, among the labels
/// that another scorer ranks first. Scores stay probabilities.
class WeightedScorer : public Scorer {
 public:
  /// Labels that the other scorer is to rank for `top_k`.
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

/// Another scorer's ranking with calibrated probabilities. An example without any known feature has
/// those that the labels have in the training data.
class CalibratedScorer : public Scorer {
 public:
  /// Labels that the other scorer is to rank for `top_k` of so many: shares of an example's labels
  /// depend on each other.
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

/// How a network's scores go together with a forest's probabilities of labels.
struct HybridMix {
  float forest_weight = 0.5F;  ///< the network has the rest
  float labels_per_share = 1;  ///< what the network's scores are multiplied with, up to 1
  bool roots = false;          ///< the square of the mean of square roots, not the mean

  /// A network whose scores are probabilities of labels: as good as the forest.
  static HybridMix of_probabilities() { return {}; }
  /// Softmax gives a label a share of the labels of an example: times their mean number it is what
  /// the forest says, the probability to be among them. Means of roots rank better.
  static HybridMix of_shares(double labels_per_example) {
    return {0.8F, static_cast<float>(labels_per_example), true};
  }
};

/// Ranks labels by a weighted mean of a forest's and a network's probabilities. Of each scorer the
/// labels that it ranks first are looked at, some more than are asked for; a label that only one of
/// them ranks so high has the probability 0 for the other. Weights and roots are the best on parts
/// of the training data held out. Probabilities: P@1 is 0.5 to 2 points above the forest's on
/// bibtex, stackex_cs, delicious and citeulike-t; roots are no better, and take 0.4 points of P@5
/// on citeulike-t. Shares, P@1 / 3 of the forest, of the mean with its best weight and of roots:
/// debian-depends 79.7 / 51.8, 79.7 / 52.3, 79.8 / 52.4, wordnet-hypernyms 89.5 / 80.5, 89.6
/// / 80.7, 89.6 / 80.7, yso-finna-en 36.7 / 22.8, 37.0 / 23.0, 37.7 / 23.3.
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

}  // namespace frugal::sparse
