#include "tools/sparse-train/scoring/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/metrics/ranking.h"
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

/// Log-loss and ROC AUC of examples that have one label.
class ProbabilitySums {
 public:
  explicit ProbabilitySums(std::size_t num_labels) : num_labels_(num_labels) {}

  void add(std::span<const ScoredLabel> scores, std::uint32_t truth) {
    double sum = 0, score = 0, second = 0;
    for (const ScoredLabel& s : scores) {
      if (s.label == Scorer::kNoLabel) continue;
      sum += static_cast<double>(s.score);
      if (s.label == truth) score = static_cast<double>(s.score);
      if (s.label == 1) second = static_cast<double>(s.score);
    }
    constexpr double kLeast = std::numeric_limits<double>::epsilon();
    loss_ -= std::log(std::clamp(sum > 0 ? score / sum : 0, kLeast, 1.0));
    ++count_;
    if (num_labels_ != 2) return;
    const double odds = std::log(std::max(second, kTiny)) - std::log(std::max(sum - second, kTiny));
    odds_of_second_.push_back(static_cast<float>(odds));
    is_second_.push_back(truth == 1);
  }
  void read_out(Evaluation& result) const {
    if (count_ == 0) return;
    result.log_loss = loss_ / static_cast<double>(count_);
    const double area = num_labels_ == 2 ? auc(odds_of_second_, is_second_)
                                         : std::numeric_limits<double>::quiet_NaN();
    if (!std::isnan(area)) result.roc_auc = area;
  }

 private:
  static constexpr double kTiny = 1e-300;
  std::size_t num_labels_;
  double loss_ = 0;
  std::uint64_t count_ = 0;
  std::vector<float> odds_of_second_;
  std::vector<std::uint8_t> is_second_;
};

/// The counts of a training, 0 for labels that it had not.
std::vector<std::uint64_t> counts_of_all(const LabelCounts& training, const Dataset& data) {
  std::vector<std::uint64_t> counts = training.counts;
  counts.resize(std::max(counts.size(), data.num_all_labels()));
  return counts;
}

/// The labels that are most frequent in a training, at most kEvaluatedRanks, the first the most.
std::vector<std::uint32_t> most_frequent(const LabelCounts& training) {
  std::vector<std::uint32_t> labels(training.counts.size());
  std::iota(labels.begin(), labels.end(), 0U);
  const std::size_t size = std::min(kEvaluatedRanks, labels.size());
  std::partial_sort(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(size),
                    labels.end(), [&](std::uint32_t a, std::uint32_t b) {
                      return training.counts[a] != training.counts[b]
                                 ? training.counts[a] > training.counts[b]
                                 : a < b;
                    });
  labels.resize(size);
  return labels;
}

/// Accumulates the metrics of one ranking after another.
class Sums {
 public:
  Sums(const Dataset& data, const LabelCounts& training, const EvaluationOptions& options,
       std::size_t ranks, Evaluation& result)
      : options_(options),
        result_(result),
        num_known_(training.counts.size()),
        metrics_(inverse_propensities(counts_of_all(training, data), training.examples,
                                      options.propensity)),
        frequent_(most_frequent(training)),
        probabilities_(num_known_) {
    result_.single_label = is_single_label(data);
    result_.label_names = data.unknown_labels;
    result_.column_values = data.column_values;
    result_.tally = LabelTally(std::max(num_known_, data.num_all_labels()));
    has_loss_ = result_.single_label && ranks == num_known_ && num_known_ > 1;
  }

  void add(std::span<const ScoredLabel> best, std::span<const std::uint32_t> truth) {
    labels_.clear();
    for (const ScoredLabel& s : best) labels_.push_back(s.label);
    metrics_.add(labels_, truth);
    frequent_metrics_.add(frequent_, truth);
    find_predicted(best);
    result_.tally.add(labels_, truth);
    calibration_.add(best.first(std::min(best.size(), result_.single_label ? 1 : kEvaluatedRanks)),
                     truth);
    const bool some_known =
        std::any_of(truth.begin(), truth.end(), [this](std::uint32_t l) { return l < num_known_; });
    if (has_loss_ && some_known) probabilities_.add(best, truth[0]);
    result_.unlabelled += truth.empty();
    result_.unknown_examples += !truth.empty() && !some_known;
    const bool paired = result_.single_label && !truth.empty() && !best.empty();
    if (paired) ++result_.confusion[{truth[0], best[0].label}];
  }

  void read_out() {
    for (std::size_t r = 0; r < std::size(kRanks); ++r) {
      result_.precision[r] = metrics_.precision_at(kRanks[r]);
      result_.ndcg[r] = metrics_.ndcg_at(kRanks[r]);
      result_.psp[r] = metrics_.psp_at(kRanks[r]);
      result_.psndcg[r] = metrics_.psndcg_at(kRanks[r]);
      result_.frequent_precision[r] = frequent_metrics_.precision_at(kRanks[r]);
      result_.frequent_ndcg[r] = frequent_metrics_.ndcg_at(kRanks[r]);
    }
    result_.recall_at_5 = metrics_.recall_at(5);
    result_.accuracy = result_.precision[0];
    result_.micro_f1 = result_.tally.total().f1();
    result_.macro_f1 = result_.tally.macro_f1();
    result_.calibration_error = calibration_.expected_error();
    probabilities_.read_out(result_);
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
    for (const ScoredLabel& s : best.first(std::min(best.size(), kDecidedRanks))) {
      if (s.label == Scorer::kNoLabel) continue;
      if (first_alone || reaches_threshold(s)) labels_.push_back(s.label);
      if (first_alone) break;
    }
  }

  const EvaluationOptions& options_;
  Evaluation& result_;
  std::size_t num_known_;
  RankingMetrics metrics_;
  std::vector<std::uint32_t> frequent_;
  RankingMetrics frequent_metrics_;
  CalibrationBins calibration_;
  ProbabilitySums probabilities_;
  bool has_loss_ = false;
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

std::size_t ranks_for(const Dataset& data, const EvaluationOptions& options) {
  const bool has_loss = data.num_labels <= kRankedForLoss && is_single_label(data);
  return std::max<std::size_t>(options.threshold ? kDecidedRanks : kEvaluatedRanks,
                               has_loss ? data.num_labels : 0);
}

Evaluation evaluate(const Scorer& scorer, const Dataset& data, const LabelCounts& training,
                    const EvaluationOptions& options) {
  const double began = wall_seconds();
  Evaluation result;
  result.examples = data.size();
  Sums sums(data, training, options, scorer.k(), result);
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

std::string frequent_label_text(const Evaluation& evaluation) {
  return (evaluation.single_label ? "accuracy " : "P@1 ") +
         format_number(evaluation.frequent_precision[0], 4);
}

}  // namespace frugal::sparse
