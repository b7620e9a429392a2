#include "tools/sparse-train/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/system/clock.h"

namespace frugal::sparse {

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

/// Scores and how often they were right, in bins of equal width.
class CalibrationBins {
 public:
  void add(std::span<const ScoredLabel> best, std::span<const std::uint32_t> truth) {
    for (const ScoredLabel& s : best) {
      if (s.label == Scorer::kNoLabel) continue;
      const auto bin = static_cast<std::size_t>(std::clamp(s.score, 0.0F, 1.0F) * kBins);
      // The sum of scores less that of hits: bins need no more.
      excess_[std::min(bin, kBins - 1)] +=
          static_cast<double>(s.score) -
          (std::find(truth.begin(), truth.end(), s.label) != truth.end() ? 1 : 0);
      ++count_;
    }
  }
  double expected_error() const {
    double sum = 0;
    for (const double excess : excess_) sum += std::abs(excess);
    return count_ == 0 ? 0 : sum / static_cast<double>(count_);
  }

 private:
  static constexpr std::size_t kBins = 15;
  std::array<double, kBins> excess_{};
  std::uint64_t count_ = 0;
};

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
    find_predicted(best);
    result_.tally.add(labels_, truth);
    calibration_.add(best.first(std::min(best.size(), result_.single_label ? 1 : kEvaluatedRanks)),
                     truth);
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
    result_.calibration_error = calibration_.expected_error();
  }

 private:
  bool reaches_threshold(const ScoredLabel& s) const {
    return options_.label_thresholds.empty() ? static_cast<double>(s.score) >= *options_.threshold
                                             : s.score >= options_.label_thresholds[s.label];
  }
  /// Leaves the predicted labels in labels_.
  void find_predicted(std::span<const ScoredLabel> best) {
    labels_.clear();
    const bool first_alone = !options_.threshold && options_.label_thresholds.empty();
    for (const ScoredLabel& s : best) {
      if (s.label == Scorer::kNoLabel) continue;
      if (first_alone || reaches_threshold(s)) labels_.push_back(s.label);
      if (first_alone) break;
    }
  }

  const EvaluationOptions& options_;
  Evaluation& result_;
  RankingMetrics metrics_;
  CalibrationBins calibration_;
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

std::string commonest_label_text(const Evaluation& evaluation) {
  std::uint64_t most = 0;
  for (const LabelTally::Counts& label : evaluation.tally.labels()) {
    most = std::max(most, label.actual);
  }
  const auto examples = static_cast<double>(std::max<std::uint64_t>(1, evaluation.examples));
  return (evaluation.single_label ? "accuracy " : "P@1 ") +
         format_number(static_cast<double>(most) / examples, 4);
}

}  // namespace frugal::sparse
