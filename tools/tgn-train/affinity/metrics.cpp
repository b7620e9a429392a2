#include "tools/tgn-train/affinity/metrics.h"

namespace frugal::tgn {

void AffinityTally::begin_period() {
  if (in_period_ == 0) return;
  sums_.ndcg_by_time += period_sum_ / static_cast<double>(in_period_);
  ++periods_;
  in_period_ = 0;
  period_sum_ = 0;
}

void AffinityTally::add(bool known, double ndcg) {
  ++in_period_;
  period_sum_ += ndcg;
  ++sums_.all;
  sums_.ndcg_all += ndcg;
  if (!known) return;
  ++sums_.known;
  sums_.ndcg += ndcg;
}

AffinityMetrics AffinityTally::metrics() {
  begin_period();
  AffinityMetrics means = sums_;
  if (means.known > 0) means.ndcg /= static_cast<double>(means.known);
  if (means.all > 0) means.ndcg_all /= static_cast<double>(means.all);
  if (periods_ > 0) means.ndcg_by_time /= static_cast<double>(periods_);
  return means;
}

void visit_vectors(const LabelVectors& vectors, std::uint32_t first,
                   const std::function<void(std::uint32_t, const AverageHistory&)>& begun,
                   const VectorVisitor& visit) {
  AverageHistory history(vectors);
  std::vector<float> weights(vectors.num_classes());
  for (std::uint32_t period = 0; period < vectors.num_periods(); ++period) {
    if (period >= first) {
      begun(period, history);
      for (std::size_t v = vectors.begin(period); v < vectors.begin(period + 1); ++v) {
        const auto classes = vectors.classes(v);
        for (std::size_t i = 0; i < classes.size(); ++i) {
          weights[classes[i]] = vectors.weights(v)[i];
        }
        visit(v, history, weights);
        for (const std::uint32_t c : classes) weights[c] = 0;
      }
    }
    history.learn();
  }
}

}  // namespace frugal::tgn
