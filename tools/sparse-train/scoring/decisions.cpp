#include "tools/sparse-train/scoring/decisions.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/tensors/metadata_reader.h"
#include "tools/sparse-train/data/dataset.h"
#include "tools/sparse-train/scoring/label_tally.h"
#include "tools/sparse-train/scoring/threshold_choice.h"

namespace frugal::sparse {
namespace {

constexpr const char* kCalibration = "model.calibration";
constexpr const char* kThreshold = "model.threshold";
constexpr const char* kShrinkage = "model.threshold_shrinkage";
constexpr const char* kHeldOutKey = "model.held_out";
constexpr const char* kSingleLabel = "model.single_label";
constexpr const char* kThresholds = "labels.threshold";

/// How the text of shares begins, which earlier versions refuse.
constexpr std::string_view kSharesPrefix = "shares ";

/// The three finite numbers of the calibration.
void load_calibration(const std::string& text, const std::string& path, Decisions& decisions) {
  const bool of_shares = text.starts_with(kSharesPrefix);
  const std::string_view numbers =
      std::string_view(text).substr(of_shares ? kSharesPrefix.size() : std::size_t{0});
  std::vector<double> values;
  for (const std::string_view word : split(numbers, ' ')) {
    const auto value = parse_number<double>(word);
    if (!value || !std::isfinite(*value)) break;
    values.push_back(*value);
  }
  if (values.size() == 3 && values[0] >= 0 && values[1] >= 0 &&
      std::count(numbers.begin(), numbers.end(), ' ') == 2 &&
      (!of_shares || (values[2] >= 0 && values[2] <= 1))) {
    if (of_shares) {
      decisions.shares = ShareCalibration{values[0], values[1], values[2]};
    } else {
      decisions.calibration = {values[0], values[1], values[2]};
    }
    return;
  }
  fail(ExitStatus::bad_input, path, ": metadata '", kCalibration, "' is '", printable(text),
       "', expected two slopes that are not negative and a shift, or 'shares', two slopes and a "
       "share");
}

/// All that were ranked, k for each example, with the scores as they are.
std::vector<RankedLabel> judge(const std::vector<ScoredLabel>& best, std::size_t k,
                               const Dataset& data) {
  std::vector<RankedLabel> ranked;
  for (std::uint32_t i = 0; i < data.size(); ++i) {
    const std::span<const std::uint32_t> truth = data.labels_of(i);
    for (std::size_t j = i * k; j < (i + 1) * k; ++j) {
      if (best[j].label == Scorer::kNoLabel) continue;
      const bool right = std::find(truth.begin(), truth.end(), best[j].label) != truth.end();
      ranked.push_back({i, best[j].label, best[j].score, right});
    }
  }
  return ranked;
}

}  // namespace

void Decisions::calibrate(std::span<ScoredLabel> ranked) const {
  if (shares) return shares->apply(ranked, label_thresholds.size());
  for (ScoredLabel& s : ranked) {
    if (s.label != Scorer::kNoLabel) s.score = calibration.probability(s.score);
  }
}

void Decisions::save(Document& document) const {
  const auto text = [](double a, double b, double c) {
    return format_number(a) + " " + format_number(b) + " " + format_number(c);
  };
  document.metadata[kCalibration] =
      shares ? std::string(kSharesPrefix) + text(shares->low, shares->high, shares->floor)
             : text(calibration.low, calibration.high, calibration.shift);
  document.metadata[kThreshold] = format_number(static_cast<double>(global));
  document.metadata[kShrinkage] = format_number(shrinkage);
  document.metadata[kHeldOutKey] = std::to_string(examples);
  document.metadata[kSingleLabel] = single_label ? "true" : "false";
  document.tensors.push_back(
      Tensor::copy_of<float>(kThresholds, {label_thresholds.size()}, label_thresholds));
}

bool Decisions::is_in(const Document& document) {
  return document.metadata.find(kCalibration) != document.metadata.end();
}

Decisions Decisions::load(const Document& document, const std::string& path,
                          std::size_t num_labels) {
  const MetadataReader read(document, path);
  Decisions decisions;
  load_calibration(read.text(kCalibration), path, decisions);
  decisions.global = static_cast<float>(read.finite(kThreshold, 0, 1));
  // Models of earlier versions have each label's own threshold.
  if (read.has(kShrinkage)) decisions.shrinkage = read.finite(kShrinkage, 0, 1);
  decisions.examples = read.number(kHeldOutKey);
  decisions.single_label = read.flag(kSingleLabel, false);
  const std::span<const float> thresholds = document.at(kThresholds).as<float>();
  decisions.label_thresholds.assign(thresholds.begin(), thresholds.end());
  const bool sensible =
      std::all_of(thresholds.begin(), thresholds.end(), [](float t) { return t >= 0 && t <= 1; });
  if (thresholds.size() != num_labels || !sensible) {
    fail(ExitStatus::bad_input, path, ": has ", thresholds.size(),
         " thresholds, expected one from 0 to 1 for each of ", num_labels, " labels");
  }
  return decisions;
}

EvaluationOptions Decisions::predicting() const {
  EvaluationOptions options;
  if (single_label) return options;
  options.threshold = static_cast<double>(global);
  options.label_thresholds = label_thresholds;
  return options;
}

Decisions fit_decisions(const Scorer& scorer, const Dataset& held_out, const LabelCounts& training,
                        bool single_label) {
  Decisions decisions;
  decisions.examples = held_out.size();
  decisions.single_label = single_label;
  decisions.label_thresholds.resize(training.counts.size());
  std::vector<ScoredLabel> best = scorer.predict(held_out, 0, held_out.size());
  if (single_label) {
    decisions.shares = fit_shares(best, scorer.k(), held_out, training.counts);
  } else {
    std::vector<JudgedScore> judged;
    for (const RankedLabel& r : judge(best, scorer.k(), held_out))
      judged.push_back({r.probability, r.right});
    decisions.calibration = fit_calibration(judged);
  }
  for (std::size_t i = 0; i < held_out.size(); ++i)
    decisions.calibrate(std::span(best).subspan(i * scorer.k(), scorer.k()));
  const std::vector<RankedLabel> ranked = judge(best, scorer.k(), held_out);
  ThresholdChoice choice = choose_thresholds(ranked, held_out, training.counts);
  decisions.global = choice.global;
  decisions.label_thresholds = std::move(choice.by_label);
  decisions.shrinkage = choice.shrinkage;
  return decisions;
}

void take_fitted_f1(const Scorer& scorer, const Dataset& data, const LabelCounts& training,
                    Evaluation& evaluation) {
  std::vector<std::uint32_t> examples[2];
  for (std::uint32_t i = 0; i < data.size(); ++i) examples[i % 2].push_back(i);
  const Dataset halves[2] = {part_of(data, examples[0]), part_of(data, examples[1])};
  evaluation.micro_f1 = evaluation.macro_f1 = 0;
  for (const int tested : {0, 1}) {
    const Decisions decisions = fit_decisions(scorer, halves[1 - tested], training, false);
    LabelTally tally(std::max(training.counts.size(), data.num_all_labels()));
    std::vector<std::vector<std::uint32_t>> predicted(halves[tested].size());
    for (const RankedLabel& r : judge(scorer.predict(halves[tested], 0, halves[tested].size()),
                                      scorer.k(), halves[tested])) {
      if (decisions.calibration.probability(r.probability) >= decisions.label_thresholds[r.label])
        predicted[r.example].push_back(r.label);
    }
    for (std::size_t i = 0; i < predicted.size(); ++i)
      tally.add(predicted[i], halves[tested].labels_of(i));
    evaluation.micro_f1 += tally.total().f1() / 2;
    evaluation.macro_f1 += tally.macro_f1() / 2;
  }
}

}  // namespace frugal::sparse
