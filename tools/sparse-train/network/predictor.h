#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/base/array.h"
#include "libcore/kernels/gemm.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/network/network.h"
#include "tools/sparse-train/scoring/scorer.h"

namespace frugal::sparse {

/// The k labels of the largest logits of each example, best first, ties by the smaller label:
/// exact, over all labels. Scores are the network's probabilities: softmax over all labels, or each
/// label's own (one-vs-all).
class Predictor : public Scorer {
 public:
  /// `network` must outlive the predictor.
  Predictor(const Network& network, std::size_t top_k);

  std::vector<ScoredLabel> predict(const Dataset& data, std::size_t begin,
                                   std::size_t end) const override;
  /// min(top_k, labels)
  std::size_t k() const override { return k_; }

 private:
  struct Scratch;
  void predict_chunk(const Dataset& data, std::size_t begin, std::size_t end, Scratch& scratch,
                     ScoredLabel* out) const;
  void score_block(std::size_t label_begin, std::size_t rows, Scratch& scratch,
                   ScoredLabel* out) const;

  const Network& network_;
  std::size_t k_;
};

}  // namespace frugal::sparse
