#include "tools/sparse-train/evaluation.h"

#include <algorithm>

#include "libcore/metrics/classification.h"
#include "libcore/metrics/ranking.h"
#include "libcore/system/clock.h"

namespace frugal {

static_assert(kEvaluatedRanks == RankingMetrics::kMaxK);

namespace {

constexpr std::size_t kBlock = 8192;               ///< examples predicted at a time
constexpr std::size_t kMostConfusedLabels = 4096;  ///< a confusion matrix grows with the square
constexpr std::size_t kRanks[] = {1, 3, 5};

bool is_single_label(const Dataset& data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.labels_of(i).size() > 1) return false;
  }
  return true;
}

void read_out(const RankingMetrics& metrics, Evaluation& result) {
  for (std::size_t r = 0; r < std::size(kRanks); ++r) {
    result.precision[r] = metrics.precision_at(kRanks[r]);
    result.ndcg[r] = metrics.ndcg_at(kRanks[r]);
    result.psp[r] = metrics.psp_at(kRanks[r]);
  }
  result.recall_at_5 = metrics.recall_at(5);
}

}  // namespace

LabelCounts count_labels(const Dataset& data) {
  LabelCounts result{std::vector<std::uint64_t>(data.num_labels), data.size()};
  for (const std::uint32_t l : data.labels) ++result.counts[l];
  return result;
}

Evaluation evaluate(const Scorer& scorer, const Dataset& data, const LabelCounts& training) {
  const double began = wall_seconds();
  Evaluation result;
  result.examples = data.size();
  result.single_label = is_single_label(data);
  const std::size_t num_labels = training.counts.size();
  const bool confusable = result.single_label && num_labels <= kMostConfusedLabels;
  RankingMetrics metrics(inverse_propensities(training.counts, training.examples));
  Confusion confusion(confusable ? num_labels : 0);
  std::vector<std::uint32_t> labels(scorer.k());
  for (std::size_t begin = 0; begin < data.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, data.size());
    const std::vector<ScoredLabel> best = scorer.predict(data, begin, end);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = 0; j < labels.size(); ++j)
        labels[j] = best[(i - begin) * labels.size() + j].label;
      const auto truth = data.labels_of(i);
      metrics.add(labels, truth);
      if (!confusable) continue;
      if (truth.empty()) {
        confusion.add_unknown(labels[0]);
      } else {
        confusion.add(truth[0], labels[0]);
      }
    }
  }
  read_out(metrics, result);
  result.accuracy = result.precision[0];
  result.macro_f1 = confusable ? confusion.macro_f1() : 0;
  result.seconds = wall_seconds() - began;
  return result;
}

}  // namespace frugal
