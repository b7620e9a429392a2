#pragma once
#include <memory>
#include <string>
#include <vector>

#include "libcore/metrics/ranking.h"
#include "tools/sparse-train/data/scorer.h"
#include "tools/sparse-train/evaluation.h"

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

}  // namespace frugal::sparse
