#include "tools/sparse-train/tree/dual_solver.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/base/rng.h"
#include "tests/support/worst.h"

using namespace frugal;
using namespace frugal::sparse;

namespace {

/// Examples with a bias of 1, in arrays of their own.
struct OwnExamples {
  std::vector<std::uint64_t> begin{0};
  std::vector<std::uint32_t> features;
  std::vector<float> values, weights;
  std::uint32_t num_features = 0;

  LocalExamples view() const { return {begin, features, values, weights, 1, num_features}; }
};

OwnExamples random_examples(std::size_t examples, std::uint32_t features) {
  OwnExamples result;
  result.num_features = features;
  Rng rng(5);
  for (std::size_t e = 0; e < examples; ++e) {
    for (int j = 0; j < 4; ++j) {
      result.features.push_back(static_cast<std::uint32_t>(rng.below(features)));
      result.values.push_back(static_cast<float>(rng.uniform(0, 1)));
    }
    result.begin.push_back(result.features.size());
  }
  return result;
}

/// |w|^2 / 2 + cost * sum of squared hinges, and its gradient.
double objective(const LocalExamples& x, const std::vector<std::uint16_t>& positives,
                 std::size_t lane, double cost, const std::vector<double>& w,
                 std::vector<double>& gradient) {
  double value = 0;
  for (std::size_t f = 0; f < w.size(); ++f) value += w[f] * w[f] / 2;
  gradient = w;
  for (std::size_t e = 0; e < x.size(); ++e) {
    const double y = (positives[e] >> lane & 1) != 0 ? 1 : -1;
    double margin = static_cast<double>(x.bias) * w[0];
    for (std::uint64_t j = x.begin[e]; j < x.begin[e + 1]; ++j)
      margin += static_cast<double>(x.values[j]) * w[1 + x.features[j]];
    const double loss = std::max(0.0, 1 - y * margin);
    value += cost * loss * loss;
    gradient[0] -= 2 * cost * loss * y * static_cast<double>(x.bias);
    for (std::uint64_t j = x.begin[e]; j < x.begin[e + 1]; ++j)
      gradient[1 + x.features[j]] -= 2 * cost * loss * y * static_cast<double>(x.values[j]);
  }
  return value;
}

/// The optimum by plain gradient descent on the primal, another way than the solver's.
std::vector<double> optimum(const LocalExamples& x, const std::vector<std::uint16_t>& positives,
                            std::size_t lane, double cost) {
  std::vector<double> w(x.num_rows()), gradient;
  double rate = 1e-3;
  double value = objective(x, positives, lane, cost, w, gradient);
  for (int step = 0; step < 3000; ++step) {
    std::vector<double> next = w, unused;
    for (std::size_t f = 0; f < w.size(); ++f) next[f] -= rate * gradient[f];
    const double found = objective(x, positives, lane, cost, next, unused);
    rate *= found < value ? 1.2 : 0.5;
    if (found >= value) continue;
    w = next;
    gradient = unused;
    value = found;
  }
  return w;
}

}  // namespace

TEST_CASE("the dual solver reaches the optimum that gradient descent finds in double") {
  const OwnExamples own = random_examples(60, 11);
  const LocalExamples x = own.view();
  std::vector<std::uint16_t> positives(x.size());
  Rng rng(6);
  // Classifier 0 has no positive, 1 has one, 2 only positives; the others what chance gives.
  for (std::size_t e = 0; e < x.size(); ++e)
    positives[e] = static_cast<std::uint16_t>((rng.below(65536) & ~3U) | 4U);
  positives[17] |= 2;
  for (const double cost : {0.3, 2.0}) {
    SolverOptions options;
    options.cost = cost;
    options.tolerance = 1e-4;
    options.max_sweeps = 2000;
    DualSolver solver(x, options, 1);
    const float* weights = solver.solve(positives, 5);
    for (std::size_t lane = 0; lane < 5; ++lane) {
      CAPTURE(lane);
      const std::vector<double> want = optimum(x, positives, lane, cost);
      double largest = 0;
      for (std::size_t f = 0; f < want.size(); ++f)
        largest = worse(largest, std::abs(want[f] - weights[f * dual_width(5) + lane]));
      CHECK(largest < 2e-3);
    }
  }
}

TEST_CASE("an example of weight 2 counts as two of them") {
  OwnExamples once = random_examples(30, 7), twice = once;
  std::vector<std::uint16_t> positives;
  for (std::size_t e = 0; e < 30; ++e) positives.push_back(e % 3 == 0 ? 1 : 0);
  once.weights.assign(30, 1);
  std::vector<std::uint16_t> more = positives;
  for (std::size_t e = 0; e < 10; ++e) {
    once.weights[e] = 2;
    for (std::uint64_t j = once.begin[e]; j < once.begin[e + 1]; ++j) {
      twice.features.push_back(once.features[j]);
      twice.values.push_back(once.values[j]);
    }
    twice.begin.push_back(twice.features.size());
    more.push_back(positives[e]);
  }
  SolverOptions options;
  options.tolerance = 1e-5;
  options.max_sweeps = 5000;
  DualSolver weighted(once.view(), options, 1), repeated(twice.view(), options, 1);
  const float* a = weighted.solve(positives, 1);
  const float* b = repeated.solve(more, 1);
  for (std::size_t f = 0; f <= once.num_features; ++f)
    CHECK(a[f * dual_width(1)] == doctest::Approx(b[f * dual_width(1)]).epsilon(1e-3));
}

TEST_CASE("the dual solver leaves unused lanes alone and forgets the problem before") {
  const OwnExamples own = random_examples(40, 8);
  const LocalExamples x = own.view();
  std::vector<std::uint16_t> some(x.size()), others(x.size());
  for (std::size_t e = 0; e < x.size(); ++e) {
    some[e] = static_cast<std::uint16_t>(e % 3 == 0 ? 1 : 0);
    others[e] = 0xffff;
  }
  DualSolver solver(x, SolverOptions(), 1), fresh(x, SolverOptions(), 1);
  solver.solve(others, 16);
  const float* again = solver.solve(some, 1);
  const float* once = fresh.solve(some, 1);
  for (std::size_t i = 0; i < x.num_rows() * dual_width(1); ++i) {
    CHECK(again[i] == once[i]);
    if (i % dual_width(1) != 0) CHECK(again[i] == 0);
  }
}

TEST_CASE("a classifier is the same to the bit beside any number of others") {
  const OwnExamples own = random_examples(80, 13);
  const LocalExamples x = own.view();
  std::vector<std::uint16_t> positives(x.size());
  Rng rng(8);
  for (std::uint16_t& bits : positives) bits = static_cast<std::uint16_t>(rng.below(65536) | 2U);
  SolverOptions options;
  options.tolerance = 0;  // else the order of sweeps depends on the others
  options.max_sweeps = 1;
  DualSolver solver(x, options, 1);
  std::vector<std::vector<float>> first;
  for (const std::size_t count : {2, 4, 5, 8, 9, 16}) {
    const float* const weights = solver.solve(positives, count);
    std::vector<float> of_first;
    for (std::size_t f = 0; f < x.num_rows(); ++f)
      of_first.push_back(weights[f * dual_width(count)]);
    first.push_back(of_first);
    CHECK(first.back() == first.front());
  }
}
