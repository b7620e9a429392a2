#include "tools/sparse-train/scoring/decisions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "libcore/base/rng.h"
#include "tests/support/text_file.h"
#include "tools/sparse-train/scoring/combined_scorers.h"
#include "tools/sparse-train/scoring/label_tally.h"
#include "tools/sparse-train/scoring/threshold_choice.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Ranks what it is told, the same two labels for each example.
class FixedScorer : public Scorer {
 public:
  explicit FixedScorer(std::vector<ScoredLabel> best) : best_(std::move(best)) {}
  std::vector<ScoredLabel> predict(const Dataset&, std::size_t begin,
                                   std::size_t end) const override {
    const auto at = [this](std::size_t i) {
      return best_.begin() + static_cast<std::ptrdiff_t>(2 * i);
    };
    return {at(begin), at(end)};
  }
  std::size_t k() const override { return 2; }

 private:
  std::vector<ScoredLabel> best_;
};

}  // namespace

TEST_CASE("calibration finds the probabilities behind scores") {
  const ScoreCalibration truth{0.5, 1.5, -0.7};
  Rng rng(7, 0);
  std::vector<JudgedScore> scores;
  for (int i = 0; i < 40000; ++i) {
    const auto score = static_cast<float>(rng.uniform());
    scores.push_back({score, rng.uniform() < static_cast<double>(truth.probability(score))});
  }
  const ScoreCalibration found = fit_calibration(scores);
  CHECK(found.low == doctest::Approx(truth.low).epsilon(0.1));
  CHECK(found.high == doctest::Approx(truth.high).epsilon(0.1));
  CHECK(found.shift == doctest::Approx(truth.shift).epsilon(0.1));
  CHECK(ScoreCalibration{}.probability(0.3F) == doctest::Approx(0.3));
}

TEST_CASE("calibration finds probabilities that are far from the scores") {
  for (const ScoreCalibration truth :
       {ScoreCalibration{0.12, 3, 0}, ScoreCalibration{0.3, 0.1, 3}, ScoreCalibration{2, 0, 6}}) {
    Rng rng(8, 0);
    std::vector<JudgedScore> scores;
    double loss = 0, least = 0;
    const auto loss_of = [](double p, bool right) { return -std::log(right ? p : 1 - p); };
    for (int i = 0; i < 4000; ++i) {
      const auto score = static_cast<float>(std::pow(10.0, -6 * rng.uniform()));
      scores.push_back({score, rng.uniform() < static_cast<double>(truth.probability(score))});
    }
    const ScoreCalibration found = fit_calibration(scores);
    for (const JudgedScore& s : scores) {
      loss += loss_of(static_cast<double>(found.probability(s.score)), s.right);
      least += loss_of(static_cast<double>(truth.probability(s.score)), s.right);
    }
    // The minimum of loss and prior, 2 for a unit of distance from the scores as they are.
    const double prior =
        2 * (std::pow(truth.low - 1, 2) + std::pow(truth.high - 1, 2) + std::pow(truth.shift, 2));
    CHECK(loss <= least + prior);
  }
}

TEST_CASE("a calibration never falls, and does without examples of both kinds") {
  std::vector<JudgedScore> reversed;
  for (int i = 0; i < 100; ++i) {
    const float score = static_cast<float>(i) / 100;
    reversed.push_back({score, i % 3 == 0 && score < 0.6F});
  }
  const ScoreCalibration found = fit_calibration(reversed);
  CHECK(found.low >= 0);
  CHECK(found.high >= 0);
  CHECK(found.probability(0.2F) <= found.probability(0.9F));
  for (const bool right : {false, true}) {
    const ScoreCalibration same = fit_calibration({{0.1F, right}, {0.7F, right}});
    CHECK(same.probability(0.4F) == doctest::Approx(0.4));
  }
}

TEST_CASE("thresholds are where F1 is largest, and rare labels follow others as rare") {
  // Label 0 is right from 0.3 on, label 1 from 0.8 on; label 2, as rare as 3, is right from 0.2 on
  // where it was held out, and 3 was not.
  const std::vector<std::uint64_t> training{1000, 1000, 3, 2};
  ThresholdCounts counts(training);
  const float from[] = {0.3F, 0.8F, 0.2F};
  for (std::uint32_t l = 0; l < 3; ++l) {
    for (int i = 0; i < 100; ++i) {
      const float p = (static_cast<float>(i) + 0.5F) / 100;
      counts.add(l, p, p > from[l]);
      if (p > from[l]) counts.add_actual(l);
    }
  }
  const std::vector<float> thresholds = counts.best_by_label();
  REQUIRE(thresholds.size() == 4);
  CHECK(thresholds[0] == doctest::Approx(0.3).epsilon(0.1));
  CHECK(thresholds[1] == doctest::Approx(0.8).epsilon(0.1));
  CHECK(thresholds[2] == doctest::Approx(0.2).epsilon(0.1));
  CHECK(thresholds[3] == doctest::Approx(0.2).epsilon(0.1));
  const float global = counts.best_global();
  CHECK(global >= 0.2F);
  CHECK(global <= 0.5F);
}

namespace {

/// Held-out examples whose labels were all ranked, with true probabilities that reach up to `high`
/// of the label.
struct Held {
  Dataset data;
  std::vector<RankedLabel> ranked;
  std::vector<std::uint64_t> training;

  Held(const std::vector<float>& high, std::uint32_t examples) {
    Rng rng(11, 0);
    data.num_labels = static_cast<std::uint32_t>(high.size());
    training.assign(high.size(), 0);
    for (std::uint32_t i = 0; i < examples; ++i) {
      for (std::uint32_t l = 0; l < high.size(); ++l) {
        const double u = rng.uniform();
        const auto p = high[l] * static_cast<float>(u * u * u);
        const bool right = rng.uniform() < static_cast<double>(p);
        ranked.push_back({i, l, p, right});
        if (!right) continue;
        data.labels.push_back(l);
        training[l] += 4;
      }
      data.label_begin.push_back(data.labels.size());
      data.feature_begin.push_back(0);
    }
  }

  /// Micro F1 where `threshold` gives that of a label.
  template <class Threshold>
  double micro_f1(const Threshold& threshold) const {
    LabelTally tally(training.size());
    for (const RankedLabel& r : ranked) {
      const std::uint32_t predicted[] = {r.label}, actual[] = {r.label};
      tally.add({predicted, r.probability >= threshold(r.label) ? 1U : 0U},
                {actual, r.right ? 1U : 0U});
    }
    return tally.total().f1();
  }
};

}  // namespace

TEST_CASE("thresholds of rare labels are drawn to the global one where micro F1 would suffer") {
  // Two labels that are often right, and sixty that hardly ever are.
  std::vector<float> high(62, 0.05F);
  high[0] = high[1] = 1;
  const Held held(high, 600);
  const ThresholdChoice choice = choose_thresholds(held.ranked, held.data, held.training);
  ThresholdCounts counts(held.training);
  for (const RankedLabel& r : held.ranked) counts.add(r.label, r.probability, r.right);
  for (const std::uint32_t l : held.data.labels) counts.add_actual(l);
  const std::vector<float> own = counts.best_by_label();
  const Held fresh(high, 2000);
  const double global = fresh.micro_f1([&](std::uint32_t) { return choice.global; });
  const double chosen = fresh.micro_f1([&](std::uint32_t l) { return choice.by_label[l]; });
  CHECK(fresh.micro_f1([&](std::uint32_t l) { return own[l]; }) < global - 0.02);
  CHECK(chosen > global - 0.01);
  CHECK(choice.shrinkage > 0);
  for (std::size_t l = 0; l < own.size(); ++l) {
    CHECK(choice.by_label[l] >= std::min(own[l], choice.global) - 1e-6F);
    CHECK(choice.by_label[l] <= std::max(own[l], choice.global) + 1e-6F);
  }
}

TEST_CASE("thresholds of labels that differ are their own") {
  // Probabilities that are too low, to a quarter, for one of two labels.
  Held held({1, 1}, 800);
  for (RankedLabel& r : held.ranked) r.probability /= r.label == 0 ? 1 : 4;
  const ThresholdChoice choice = choose_thresholds(held.ranked, held.data, held.training);
  CHECK(choice.shrinkage <= 0.25);
  CHECK(choice.by_label[0] > 2 * choice.by_label[1]);
}

TEST_CASE("decisions come back from a document, and one that makes no sense is refused") {
  Dataset data;
  data.num_labels = 3;
  std::vector<ScoredLabel> best;
  Rng rng(3, 0);
  for (int i = 0; i < 300; ++i) {
    const auto own = static_cast<std::uint32_t>(rng.below(3));
    data.labels.push_back(own);
    data.label_begin.push_back(data.labels.size());
    data.features.push_back(0);
    data.feature_begin.push_back(data.features.size());
    best.push_back({own, static_cast<float>(rng.uniform(0.3, 0.6))});
    best.push_back({(own + 1) % 3, static_cast<float>(rng.uniform(0, 0.35))});
  }
  Decisions made = fit_decisions(FixedScorer(best), data, {{100, 100, 100}, 300}, false);
  CHECK(made.examples == 300);
  CHECK(made.calibration.probability(0.55F) > 0.9F);
  CHECK(made.calibration.probability(0.1F) < 0.1F);
  const CalibratedScorer calibrated(std::make_unique<FixedScorer>(best), made,
                                    {{100, 100, 100}, 300}, 2);
  CHECK(calibrated.predict(data, 0, 1)[0].label == best[0].label);
  CHECK(calibrated.predict(data, 0, 1)[0].score == made.calibration.probability(best[0].score));
  Document document;
  made.shrinkage = 0.375;
  made.single_label = true;
  made.save(document);
  REQUIRE(Decisions::is_in(document));
  const Decisions read = Decisions::load(document, "m", 3);
  CHECK(read.label_thresholds == made.label_thresholds);
  CHECK(read.global == made.global);
  CHECK(read.shrinkage == made.shrinkage);
  CHECK(read.single_label);
  CHECK(read.examples == made.examples);
  CHECK(read.calibration.low == made.calibration.low);
  const auto error_with = [&](const std::string& key, const std::string& value) {
    const std::string before = std::exchange(document.metadata[key], value);
    const std::string error = error_of([&] { Decisions::load(document, "m", 3); });
    document.metadata[key] = before;
    return error;
  };
  CHECK(error_of([&] { Decisions::load(document, "m", 4); }) ==
        "65 m: has 3 thresholds, expected one from 0 to 1 for each of 4 labels");
  CHECK(error_with("model.threshold_shrinkage", "2") ==
        "65 m: metadata 'model.threshold_shrinkage' is '2', expected a finite number from 0 to 1");
  for (const char* value : {"-1", "1e23", "nan", " 0.38", "0.38 "}) {
    CHECK(error_with("model.threshold", value).find("expected a") != std::string::npos);
  }
  for (const char* value : {"-1", "797 ", "797.0", "0797"}) {
    CHECK(error_with("model.held_out", value).find("expected a number from 0") !=
          std::string::npos);
  }
  for (const char* value : {"1 -1 0", "1 1 0 ", "1 1 0 0", "x 1 1 0", "1 nan 0", "shares 1 0 2",
                            "shares 1 0", "shares 1 -1 0"}) {
    CHECK(error_with("model.calibration", value).find("expected two slopes") != std::string::npos);
  }
  CHECK(error_with("model.single_label", "maybe").find("expected") != std::string::npos);
  document.metadata.erase("model.threshold_shrinkage");
  document.metadata.erase("model.single_label");
  CHECK(Decisions::load(document, "m", 3).shrinkage == 0);  // as models were before
  CHECK(!Decisions::load(document, "m", 3).single_label);
  document.metadata["model.calibration"] = "1 2";
  CHECK(error_of([&] { Decisions::load(document, "m", 3); }) ==
        "65 m: metadata 'model.calibration' is '1 2', expected two slopes that are not negative "
        "and a shift, or 'shares', two slopes and a share");
  CHECK(!Decisions::is_in(Document()));
}

namespace {

/// Examples of one of two labels, in scores of which one in `wrong` ranks the other label first.
struct Guesses {
  Dataset data;
  std::vector<ScoredLabel> best;

  Guesses(std::uint32_t examples, std::uint32_t wrong) {
    data.num_labels = 2;
    for (std::uint32_t i = 0; i < examples; ++i) {
      const std::uint32_t own = i % 2;
      const std::uint32_t guess = (i / 2) % wrong == 0 ? 1 - own : own;
      data.labels.push_back(own);
      data.label_begin.push_back(data.labels.size());
      data.features.push_back(0);
      data.feature_begin.push_back(data.features.size());
      best.push_back({guess, 0.6F});
      best.push_back({1 - guess, 0.4F});
    }
  }
  Decisions decide() const {
    const std::uint64_t half = data.size() / 2;
    return fit_decisions(FixedScorer(best), data, {{half, half}, 2 * half}, true);
  }
};

}  // namespace

TEST_CASE("shares of one label an example sum to 1, and what few examples say fades in") {
  double before = 0.6;
  for (const std::uint32_t examples : {10U, 100U, 1000U, 100000U}) {
    const Guesses guesses(examples, 10);
    const Decisions made = guesses.decide();
    REQUIRE(made.shares);
    std::vector<ScoredLabel> two{guesses.best[2], guesses.best[3]};
    made.calibrate(two);
    CHECK(two[0].score + two[1].score == doctest::Approx(1));
    CHECK(static_cast<double>(two[0].score) > before);
    before = static_cast<double>(two[0].score);
  }
  CHECK(before == doctest::Approx(0.9).epsilon(0.01));
}

TEST_CASE("an example of which nothing is known has the shares of the classes") {
  Guesses guesses(200, 5);
  const Decisions made = guesses.decide();
  const CalibratedScorer scorer(std::make_unique<FixedScorer>(guesses.best), made, {{150, 50}, 200},
                                2);
  guesses.data.feature_begin[1] = 0;
  const std::vector<ScoredLabel> unknown = scorer.predict(guesses.data, 0, 1);
  CHECK(unknown[0].label == 0);
  CHECK(unknown[0].score == 0.75F);
  CHECK(unknown[1].score == 0.25F);
  CHECK(scorer.predict(guesses.data, 1, 2)[0].label == guesses.best[2].label);
  Document document;
  made.save(document);
  const Decisions read = Decisions::load(document, "m", 2);
  REQUIRE(read.shares);
  CHECK(read.shares->low == made.shares->low);
  CHECK(read.shares->high == made.shares->high);
  CHECK(read.shares->floor == made.shares->floor);
}

TEST_CASE("few examples hardly change the probabilities of labels for themselves") {
  std::vector<JudgedScore> scores;
  for (int i = 0; i < 6; ++i) scores.push_back({i % 2 == 0 ? 0.3F : 0.7F, i % 2 != 0});
  const ScoreCalibration found = fit_calibration(scores);
  CHECK(found.probability(0.7F) > 0.7F);
  CHECK(found.probability(0.7F) < 0.9F);
}
