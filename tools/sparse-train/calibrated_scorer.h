#pragma once
#include <memory>

#include "tools/sparse-train/data/scorer.h"
#include "tools/sparse-train/score_calibration.h"

namespace frugal::sparse {

/// Another scorer's ranking with calibrated probabilities.
class CalibratedScorer : public Scorer {
 public:
  CalibratedScorer(std::unique_ptr<Scorer> scorer, const ScoreCalibration& calibration)
      : scorer_(std::move(scorer)), calibration_(calibration) {}

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override {
    std::vector<ScoredLabel> best = scorer_->predict(data, begin, end);
    for (ScoredLabel& s : best) {
      if (s.label != kNoLabel) s.score = calibration_.probability(s.score);
    }
    return best;
  }
  std::size_t k() const override { return scorer_->k(); }

 private:
  std::unique_ptr<Scorer> scorer_;
  ScoreCalibration calibration_;
};

}  // namespace frugal::sparse
