#include "tools/sparse-train/scoring/score_calibration.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace frugal::sparse {
namespace {

constexpr double kLeastScore = 1e-6;  ///< smaller ones, and those as close to 1, count as this
constexpr int kNewtonSteps = 50;
constexpr int kNewtonHalvings = 40;
constexpr double kRounding = 1e-12;  ///< of a loss
/// Examples that the terms of scores as they are stand for: few others say little.
constexpr double kPriorWeight = 4;

using Terms = Eigen::Vector3d;

const Terms kUnchanged{1, 1, 0};

/// ln s, -ln (1 - s) and 1.
Terms terms_of(float score) {
  const double s = std::clamp(static_cast<double>(score), kLeastScore, 1 - kLeastScore);
  return {std::log(s), -std::log1p(-s), 1};
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// ln (1 + e^x), which does not overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// The mean log-loss and the prior's share, which the terms minimise.
double loss_of(const std::vector<JudgedScore>& scores, const Terms& used, const Terms& w) {
  double loss = kPriorWeight / 2 * used.cwiseProduct(w - kUnchanged).squaredNorm();
  for (const JudgedScore& s : scores) {
    const double log_odds = w.dot(used.cwiseProduct(terms_of(s.score)));
    loss += softplus(s.right ? -log_odds : log_odds);
  }
  return loss / static_cast<double>(scores.size());
}

/// Logistic regression by Newton's method on the terms that `used` marks with 1; the others, which
/// it marks with 0, stay 0. The loss is convex, but where scores are far from probabilities its
/// curvature at the start is next to none: a step that would raise the loss is halved.
Terms regress(const std::vector<JudgedScore>& scores, const Terms& used) {
  Terms w = used.cwiseProduct(kUnchanged);
  const double n = static_cast<double>(scores.size());
  double loss = loss_of(scores, used, w);
  for (int step = 0; step < kNewtonSteps; ++step) {
    Terms gradient = kPriorWeight / n * used.cwiseProduct(w - kUnchanged);
    // A term that is not used has a row of zeros but for the 1 that keeps it where it is.
    Eigen::Matrix3d curvature = (kPriorWeight / n * used + Terms::Ones() - used).asDiagonal();
    for (const JudgedScore& s : scores) {
      const Terms x = used.cwiseProduct(terms_of(s.score));
      const double p = logistic(w.dot(x));
      gradient += (p - (s.right ? 1 : 0)) / n * x;
      curvature += p * (1 - p) / n * x * x.transpose();
    }
    Terms move = curvature.ldlt().solve(gradient);
    double next_loss = loss_of(scores, used, w - move);
    for (int half = 0; half < kNewtonHalvings && !(next_loss <= loss + kRounding); ++half) {
      move /= 2;
      next_loss = loss_of(scores, used, w - move);
    }
    w -= move;
    loss = next_loss;
    if (move.lpNorm<Eigen::Infinity>() < 1e-9) break;
  }
  return w;
}

}  // namespace

float ScoreCalibration::probability(float score) const {
  return static_cast<float>(logistic(Terms(low, high, shift).dot(terms_of(score))));
}

ScoreCalibration fit_calibration(const std::vector<JudgedScore>& scores) {
  const auto right =
      std::count_if(scores.begin(), scores.end(), [](const JudgedScore& s) { return s.right; });
  if (right == 0 || static_cast<std::size_t>(right) == scores.size()) return {};
  Terms w = regress(scores, {1, 1, 1});
  // A rising score must not lower the probability: the term that would is left out.
  if (w[0] < 0) w = regress(scores, {0, 1, 1});
  if (w[1] < 0) w = regress(scores, {1, 0, 1});
  const bool usable =
      w[0] >= 0 && w[1] >= 0 && w[0] + w[1] > 0 && std::isfinite(w[0] + w[1] + w[2]);
  return usable ? ScoreCalibration{w[0], w[1], w[2]} : ScoreCalibration{};
}

}  // namespace frugal::sparse
