#include "tools/sparse-train/score_calibration.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace frugal::sparse {
namespace {

constexpr double kLeastScore = 1e-6;  ///< smaller ones, and those as close to 1, count as this
constexpr int kNewtonSteps = 50;
/// Examples that the terms of scores as they are stand for: few others say little.
constexpr double kPriorWeight = 4;
constexpr std::size_t kTerms = 3;

using Terms = std::array<double, kTerms>;
constexpr Terms kUnchanged{1, 1, 0};

/// ln s, -ln (1 - s) and 1.
Terms terms_of(float score) {
  const double s = std::clamp(static_cast<double>(score), kLeastScore, 1 - kLeastScore);
  return {std::log(s), -std::log1p(-s), 1};
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double product(const Terms& a, const Terms& b) {
  double sum = 0;
  for (std::size_t i = 0; i < kTerms; ++i) sum += a[i] * b[i];
  return sum;
}

/// Solves matrix x = right by elimination; rows and columns of zeros but for the diagonal are fine.
Terms solve(std::array<Terms, kTerms> matrix, Terms right) {
  for (std::size_t p = 0; p < kTerms; ++p) {
    for (std::size_t r = p + 1; r < kTerms; ++r) {
      const double factor = matrix[r][p] / matrix[p][p];
      for (std::size_t c = p; c < kTerms; ++c) matrix[r][c] -= factor * matrix[p][c];
      right[r] -= factor * right[p];
    }
  }
  for (std::size_t p = kTerms; p-- > 0;) {
    for (std::size_t c = p + 1; c < kTerms; ++c) right[p] -= matrix[p][c] * right[c];
    right[p] /= matrix[p][p];
  }
  return right;
}

/// What a score adds to the gradient and the curvature of the mean log-loss of weights w.
struct LossTerms {
  Terms gradient{};
  std::array<Terms, kTerms> curvature{};

  void add(const JudgedScore& s, const Terms& x, const Terms& w, double n) {
    const double p = logistic(product(w, x));
    for (std::size_t i = 0; i < kTerms; ++i) {
      gradient[i] += (p - (s.right ? 1 : 0)) * x[i] / n;
      for (std::size_t j = 0; j < kTerms; ++j) curvature[i][j] += p * (1 - p) * x[i] * x[j] / n;
    }
  }
};

/// Logistic regression by Newton's method on the terms that `used` marks; the others stay 0.
Terms regress(const std::vector<JudgedScore>& scores, const std::array<bool, kTerms>& used) {
  Terms w{};
  for (std::size_t i = 0; i < kTerms; ++i) w[i] = used[i] ? kUnchanged[i] : 0;
  const double n = static_cast<double>(scores.size());
  for (int step = 0; step < kNewtonSteps; ++step) {
    LossTerms loss;
    for (const JudgedScore& s : scores) {
      Terms x = terms_of(s.score);
      for (std::size_t i = 0; i < kTerms; ++i) x[i] = used[i] ? x[i] : 0;
      loss.add(s, x, w, n);
    }
    for (std::size_t i = 0; i < kTerms; ++i) {
      loss.curvature[i][i] += used[i] ? kPriorWeight / n : 1;
      if (used[i]) loss.gradient[i] += kPriorWeight / n * (w[i] - kUnchanged[i]);
    }
    const Terms move = solve(loss.curvature, loss.gradient);
    double largest = 0;
    for (std::size_t i = 0; i < kTerms; ++i) {
      w[i] -= move[i];
      largest = std::max(largest, std::abs(move[i]));
    }
    if (largest < 1e-9) break;
  }
  return w;
}

}  // namespace

float ScoreCalibration::probability(float score) const {
  return static_cast<float>(logistic(product({low, high, shift}, terms_of(score))));
}

ScoreCalibration fit_calibration(const std::vector<JudgedScore>& scores) {
  const auto right =
      std::count_if(scores.begin(), scores.end(), [](const JudgedScore& s) { return s.right; });
  if (right == 0 || static_cast<std::size_t>(right) == scores.size()) return {};
  Terms w = regress(scores, {true, true, true});
  // A rising score must not lower the probability: the term that would is left out.
  if (w[0] < 0) w = regress(scores, {false, true, true});
  if (w[1] < 0) w = regress(scores, {true, false, true});
  const bool usable =
      w[0] >= 0 && w[1] >= 0 && w[0] + w[1] > 0 && std::isfinite(w[0] + w[1] + w[2]);
  return usable ? ScoreCalibration{w[0], w[1], w[2]} : ScoreCalibration{};
}

}  // namespace frugal::sparse
