
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "libcore/base/rng.h"
#include "libcore/metrics/classification.h"
#include "libcore/metrics/ranking.h"

using namespace frugal;

namespace {

struct Sample {
  std::vector<float> logits, labels, probabilities;
  std::vector<std::uint8_t> positive;
};

/// Predictions with noise of that deviation around the logits that labels are drawn by.
Sample draw(std::size_t size, double mean, double deviation) {
  Sample sample;
  Rng rng(7, size);
  for (std::size_t i = 0; i < size; ++i) {
    const double truth = mean + rng.normal();
    const bool positive = rng.uniform() < 1 / (1 + std::exp(-truth));
    sample.logits.push_back(static_cast<float>(truth + deviation * rng.normal()));
    sample.labels.push_back(positive ? 1 : 0);
    sample.positive.push_back(positive ? 1 : 0);
    sample.probabilities.push_back(1 / (1 + std::exp(-sample.logits.back())));
  }
  return sample;
}

/// Mean of -ln p of the true class.
double mean_log_loss(const Sample& s) {
  double sum = 0;
  for (std::size_t i = 0; i < s.positive.size(); ++i) {
    const double p = s.probabilities[i];
    sum -= std::log(s.positive[i] != 0 ? p : 1 - p);
  }
  return sum / static_cast<double>(s.positive.size());
}

}  // namespace

TEST_CASE("metrics of one pass agree with those of all predictions") {
  for (const double mean : {-1.2, -5.0, 0.0}) {
    const Sample s = draw(50000, mean, 0.5);
    BinaryMetrics metrics;
    metrics.add(s.logits, s.labels);
    const double exact = auc(s.logits, s.positive);
    CHECK(std::abs(metrics.auc() - exact) < 1e-5);
    CHECK(std::abs(metrics.auc() - exact) <= metrics.auc_uncertainty());
    CHECK(metrics.auc_uncertainty() < 2e-4);
    CHECK(metrics.log_loss() == doctest::Approx(mean_log_loss(s)));
    Confusion confusion(2);
    double predicted = 0;
    for (std::size_t i = 0; i < s.logits.size(); ++i) {
      confusion.add(s.positive[i], s.logits[i] > 0 ? 1 : 0);
      predicted += s.probabilities[i];
    }
    CHECK(metrics.accuracy() == confusion.accuracy());
    CHECK(metrics.mean_prediction() == doctest::Approx(predicted / 50000));
    CHECK(metrics.samples() == 50000);
    CHECK(metrics.calibration() ==
          doctest::Approx(predicted / static_cast<double>(metrics.positives())));
  }
}

TEST_CASE("parts add up to the whole in any order") {
  const Sample s = draw(3000, -1, 1);
  BinaryMetrics whole, parts;
  whole.add(s.logits, s.labels);
  const std::span logits(s.logits), labels(s.labels);
  parts.add(logits.subspan(1000), labels.subspan(1000));
  parts.add(logits.first(1000), labels.first(1000));
  CHECK(parts.auc() == whole.auc());
  CHECK(parts.accuracy() == whole.accuracy());
  CHECK(parts.log_loss() == doctest::Approx(whole.log_loss()).epsilon(1e-12));
  CHECK(parts.calibration_table().size() == whole.calibration_table().size());
}

TEST_CASE("equal scores are ties, zeros of both signs too") {
  BinaryMetrics metrics;
  metrics.add(std::vector<float>{0.0F, -0.0F, 1, 1}, std::vector<float>{1, 0, 1, 0});
  CHECK(metrics.auc() == 0.5 * 0.5 + 0.25);
  CHECK(metrics.normalized_entropy() > 1);
}

TEST_CASE("one class has no area, hostile scores no crash") {
  BinaryMetrics metrics;
  CHECK(std::isnan(metrics.auc()));
  CHECK(metrics.calibration_table().empty());
  constexpr float inf = std::numeric_limits<float>::infinity();
  metrics.add(std::vector<float>{inf, -inf, std::nanf("")}, std::vector<float>{1, 1, 1});
  CHECK(std::isnan(metrics.auc()));
  CHECK(std::isnan(metrics.log_loss()));
  metrics.add(std::vector<float>{-1}, std::vector<float>{0});
  CHECK(metrics.auc() == doctest::Approx(1.0 / 3));
  CHECK(!metrics.calibration_table().empty());
}

TEST_CASE("a model that says what it was drawn by is calibrated, group by group") {
  const Sample s = draw(100000, -1, 0);
  BinaryMetrics metrics;
  metrics.add(s.logits, s.labels);
  CHECK(metrics.calibration() == doctest::Approx(1).epsilon(0.02));
  CHECK(metrics.normalized_entropy() < 1);
  const auto table = metrics.calibration_table();
  REQUIRE(table.size() == 10);
  double before = 0;
  for (const CalibrationBin& bin : table) {
    CHECK(bin.samples == doctest::Approx(10000).epsilon(0.01));
    CHECK(bin.predicted == doctest::Approx(bin.observed).epsilon(0.08));
    CHECK(bin.predicted > before);
    before = bin.predicted;
  }
}
