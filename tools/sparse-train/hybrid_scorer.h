#pragma once
#include <memory>

#include "tools/sparse-train/data/scorer.h"

namespace frugal {

/// Ranks labels by the mean of two scorers' probabilities. Of each scorer the labels that it ranks
/// first are looked at, some more than are asked for; a label that only one of them ranks so high
/// has the probability 0 for the other.
class HybridScorer : public Scorer {
 public:
  /// How many labels the two are to rank for the mean's `top_k`.
  static std::size_t num_candidates(std::size_t top_k);

  HybridScorer(std::unique_ptr<Scorer> first, std::unique_ptr<Scorer> second, std::size_t top_k);

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  std::size_t k() const override { return k_; }

 private:
  std::unique_ptr<Scorer> first_;
  std::unique_ptr<Scorer> second_;
  std::size_t k_;
};

}  // namespace frugal
