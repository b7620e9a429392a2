#include "tools/sparse-train/evaluation.h"

#include <algorithm>
#include <numeric>

#include "libcore/system/clock.h"

namespace frugal {

static_assert(kEvaluatedRanks == RankingMetrics::kMaxK);

namespace {

constexpr std::size_t kExamplesAtOnce = 8192;  ///< examples predicted at a time
constexpr std::size_t kRanks[] = {1, 3, 5};

bool is_single_label(const Dataset& data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data.labels_of(i).size() > 1) return false;
  }
  return true;
}

/// What one ranking after the other adds up to.
class Sums {
 public:
  Sums(const LabelCounts& training, const EvaluationOptions& options, Evaluation& result)
      : options_(options),
        result_(result),
        metrics_(inverse_propensities(training.counts, training.examples, options.propensity)) {
    result_.tally = LabelTally(training.counts.size());
  }

  void add(std::span<const ScoredLabel> best, std::span<const std::uint32_t> truth) {
    labels_.clear();
    for (const ScoredLabel& s : best) labels_.push_back(s.label);
    metrics_.add(labels_, truth);
    labels_.resize(num_predicted(best));
    result_.tally.add(labels_, truth);
    if (truth.empty()) result_.tally.add_unknown(1);
    const bool paired = result_.single_label && !truth.empty() && !best.empty();
    if (paired) ++result_.confusion[{truth[0], best[0].label}];
  }

  void read_out() {
    for (std::size_t r = 0; r < std::size(kRanks); ++r) {
      result_.precision[r] = metrics_.precision_at(kRanks[r]);
      result_.ndcg[r] = metrics_.ndcg_at(kRanks[r]);
      result_.psp[r] = metrics_.psp_at(kRanks[r]);
      result_.psndcg[r] = metrics_.psndcg_at(kRanks[r]);
    }
    result_.recall_at_5 = metrics_.recall_at(5);
    result_.accuracy = result_.precision[0];
    result_.micro_f1 = result_.tally.total().f1();
    result_.macro_f1 = result_.tally.macro_f1();
  }

 private:
  std::size_t num_predicted(std::span<const ScoredLabel> best) const {
    std::size_t n = 0;
    const auto counts = [&](const ScoredLabel& s) {
      return s.label != Scorer::kNoLabel &&
             (options_.threshold ? static_cast<double>(s.score) >= *options_.threshold : n == 0);
    };
    while (n < best.size() && counts(best[n])) ++n;
    return n;
  }

  const EvaluationOptions& options_;
  Evaluation& result_;
  RankingMetrics metrics_;
  std::vector<std::uint32_t> labels_;
};

}  // namespace

double LabelCounts::labels_per_example() const {
  const std::uint64_t labels = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return std::max(
      1.0, static_cast<double>(labels) / static_cast<double>(std::max<std::uint64_t>(1, examples)));
}

LabelCounts count_labels(const Dataset& data) {
  LabelCounts result{std::vector<std::uint64_t>(data.num_labels), data.size()};
  for (const std::uint32_t l : data.labels) ++result.counts[l];
  return result;
}

Evaluation evaluate(const Scorer& scorer, const Dataset& data, const LabelCounts& training,
                    const EvaluationOptions& options) {
  const double began = wall_seconds();
  Evaluation result;
  result.examples = data.size();
  result.single_label = is_single_label(data);
  Sums sums(training, options, result);
  for (std::size_t begin = 0; begin < data.size(); begin += kExamplesAtOnce) {
    const std::size_t end = std::min(begin + kExamplesAtOnce, data.size());
    const std::vector<ScoredLabel> best = scorer.predict(data, begin, end);
    const std::size_t k = scorer.k();
    for (std::size_t i = begin; i < end; ++i) {
      sums.add(std::span(best).subspan((i - begin) * k, k), data.labels_of(i));
    }
  }
  sums.read_out();
  result.seconds = wall_seconds() - began;
  return result;
}

}  // namespace frugal
