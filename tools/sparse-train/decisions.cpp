#include "tools/sparse-train/decisions.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "tools/sparse-train/data/dataset_part.h"
#include "tools/sparse-train/label_tally.h"
#include "tools/sparse-train/threshold_choice.h"

namespace frugal {
namespace {

constexpr const char* kCalibration = "model.calibration";
constexpr const char* kThreshold = "model.threshold";
constexpr const char* kShrinkage = "model.threshold_shrinkage";
constexpr const char* kHeldOut = "model.held_out";
constexpr const char* kThresholds = "labels.threshold";

/// The numbers of a metadata text, `count` of them.
std::vector<double> numbers(const Document& document, const std::string& path, const char* key,
                            std::size_t count) {
  const auto found = document.metadata.find(key);
  std::vector<double> values;
  for (const std::string_view word :
       split(found == document.metadata.end() ? std::string_view() : found->second, ' ')) {
    const auto value = parse_number<double>(word);
    if (value && std::isfinite(*value) && *value >= -1e9) values.push_back(*value);
  }
  if (values.size() == count) return values;
  fail(ExitStatus::bad_input, path, ": metadata '", key, "' is ",
       found == document.metadata.end() ? "missing" : "'" + printable(found->second, 60) + "'",
       ", expected ", count, count == 1 ? " number" : " numbers");
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

void Decisions::save(Document& document) const {
  document.metadata[kCalibration] = format_number(calibration.low) + " " +
                                    format_number(calibration.high) + " " +
                                    format_number(calibration.shift);
  document.metadata[kThreshold] = format_number(static_cast<double>(global));
  document.metadata[kShrinkage] = format_number(shrinkage);
  document.metadata[kHeldOut] = std::to_string(examples);
  document.tensors.push_back(
      Tensor::copy_of<float>(kThresholds, {label_thresholds.size()}, label_thresholds));
}

bool Decisions::is_in(const Document& document) {
  return document.metadata.find(kCalibration) != document.metadata.end();
}

Decisions Decisions::load(const Document& document, const std::string& path,
                          std::size_t num_labels) {
  const std::vector<double> calibration = numbers(document, path, kCalibration, 3);
  Decisions decisions;
  decisions.calibration = {calibration[0], calibration[1], calibration[2]};
  decisions.global = static_cast<float>(numbers(document, path, kThreshold, 1)[0]);
  // Models of earlier versions have each label's own threshold.
  if (document.metadata.contains(kShrinkage))
    decisions.shrinkage = numbers(document, path, kShrinkage, 1)[0];
  decisions.examples =
      static_cast<std::uint64_t>(std::max(0.0, numbers(document, path, kHeldOut, 1)[0]));
  const std::span<const float> thresholds = document.at(kThresholds).as<float>();
  decisions.label_thresholds.assign(thresholds.begin(), thresholds.end());
  const bool sensible =
      std::all_of(thresholds.begin(), thresholds.end(), [](float t) { return t >= 0 && t <= 1; });
  if (calibration[0] < 0 || calibration[1] < 0 || decisions.shrinkage < 0 ||
      decisions.shrinkage > 1 || thresholds.size() != num_labels || !sensible) {
    fail(ExitStatus::bad_input, path, ": has a calibration of ", thresholds.size(),
         " thresholds, expected one from 0 to 1 for each of ", num_labels,
         " labels, and no negative slope");
  }
  return decisions;
}

Decisions fit_decisions(const Scorer& scorer, const Dataset& held_out,
                        const LabelCounts& training) {
  Decisions decisions;
  decisions.examples = held_out.size();
  std::vector<RankedLabel> ranked =
      judge(scorer.predict(held_out, 0, held_out.size()), scorer.k(), held_out);
  std::vector<JudgedScore> judged;
  for (const RankedLabel& r : ranked) judged.push_back({r.probability, r.right});
  decisions.calibration = fit_calibration(judged);
  for (RankedLabel& r : ranked) r.probability = decisions.calibration.probability(r.probability);
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
    const Decisions decisions = fit_decisions(scorer, halves[1 - tested], training);
    LabelTally tally(training.counts.size());
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

}  // namespace frugal
