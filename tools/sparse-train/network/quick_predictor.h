#pragma once
#include <memory>
#include <span>
#include <vector>

#include "libcore/threading/object_pool.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/network/nibble_rows.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

/// Ranks as Predictor does, for one example at a time: all labels are scored with their rows
/// rounded to 4 bits; those that rounding may have kept out of the first k, by its bound, are
/// scored again in floats. Ranking and logits are exact. So are those labels in the softmax's sum
/// that have much of it; the errors of the others nearly cancel: probabilities are within 1 % of
/// their value.
class QuickPredictor : public Scorer {
 public:
  /// `network` must outlive the predictor.
  QuickPredictor(const Network& network, std::size_t top_k);
  ~QuickPredictor() override;

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  std::size_t k() const override { return k_; }

 private:
  struct Scratch;
  void predict_one(const Dataset& data, std::size_t example, Scratch& scratch,
                   ScoredLabel* out) const;
  float threshold(Scratch& scratch) const;
  void rank_candidates(Scratch& scratch, std::span<ScoredLabel> best) const;
  void to_probabilities(Scratch& scratch, std::span<ScoredLabel> best) const;
  float softmax_sum(Scratch& scratch, float largest) const;
  float logit(std::uint32_t label, const Scratch& scratch) const;

  const Network& network_;
  NibbleRows rows_;
  std::size_t k_;
  mutable ObjectPool<Scratch> scratches_;
};

}  // namespace frugal::sparse
