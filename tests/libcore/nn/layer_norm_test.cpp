#include "libcore/nn/layer_norm.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

constexpr std::size_t kNormRows = 4, kNormDim = 5;

LayerNorm norm_of(const std::vector<double>& gamma, const std::vector<double>& beta) {
  LayerNorm norm(kNormDim);
  for (std::size_t i = 0; i < kNormDim; ++i) {
    norm.gamma().values()(0, i) = static_cast<float>(gamma[i]);
    norm.beta().values()(0, i) = static_cast<float>(beta[i]);
  }
  norm.gamma().prepare_training({}, 0);
  norm.beta().prepare_training({}, 0);
  return norm;
}

/// The formula in double, for a row.
std::vector<double> normal_row(const double* x, const std::vector<double>& gamma,
                               const std::vector<double>& beta) {
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < kNormDim; ++i) mean += x[i] / double{kNormDim};
  for (std::size_t i = 0; i < kNormDim; ++i)
    variance += std::pow(x[i] - mean, 2) / double{kNormDim};
  std::vector<double> y(kNormDim);
  for (std::size_t i = 0; i < kNormDim; ++i) {
    y[i] = gamma[i] * (x[i] - mean) / std::sqrt(variance + 1e-5) + beta[i];
  }
  return y;
}

std::vector<double> exact_numbers(const std::vector<float>& from) {
  return {from.begin(), from.end()};
}

}  // namespace

TEST_CASE("layer normalisation of a row is its formula, in place as well") {
  std::vector<float> x = random_floats(kNormRows * kNormDim, 1);
  for (std::size_t i = 0; i < kNormDim; ++i) x[i] += 1000;  // a mean that squares would lose
  const std::vector<double> gamma = exact_numbers(random_floats(kNormDim, 2));
  const std::vector<double> beta = exact_numbers(random_floats(kNormDim, 3));
  const LayerNorm norm = norm_of(gamma, beta);
  std::vector<float> y(x.size()), in_place = x;
  norm.normalize({x.data(), kNormRows, kNormDim}, {y.data(), kNormRows, kNormDim});
  norm.normalize({in_place.data(), kNormRows, kNormDim}, {in_place.data(), kNormRows, kNormDim});
  CHECK(y == in_place);
  const std::vector<double> exact = exact_numbers(x);
  for (std::size_t r = 0; r < kNormRows; ++r) {
    const std::vector<double> want = normal_row(exact.data() + r * kNormDim, gamma, beta);
    for (std::size_t i = 0; i < kNormDim; ++i) {
      CHECK(static_cast<double>(y[r * kNormDim + i]) == doctest::Approx(want[i]).epsilon(3e-4));
    }
  }
}

TEST_CASE("a new layer norm has factors of 1 and shifts of 0") {
  const std::vector<float> x = {1, 2, 3, 4, 5};
  std::vector<float> y(kNormDim);
  LayerNorm(kNormDim).normalize({x.data(), 1, kNormDim}, {y.data(), 1, kNormDim});
  CHECK(y[2] == doctest::Approx(0));
  CHECK(y[4] == doctest::Approx(std::sqrt(2)).epsilon(1e-4));  // the variance is 2
}

TEST_CASE("the gradients of layer normalisation are those of central differences") {
  const std::vector<float> x = random_floats(kNormRows * kNormDim, 4);
  const std::vector<float> dy = random_floats(kNormRows * kNormDim, 5);
  const std::vector<double> gamma = exact_numbers(random_floats(kNormDim, 6));
  const std::vector<double> beta = exact_numbers(random_floats(kNormDim, 7));
  const auto loss = [&](const std::vector<double>& rows, const std::vector<double>& factors,
                        const std::vector<double>& shifts) {
    double sum = 0;
    for (std::size_t r = 0; r < kNormRows; ++r) {
      const std::vector<double> y = normal_row(rows.data() + r * kNormDim, factors, shifts);
      for (std::size_t i = 0; i < kNormDim; ++i) {
        sum += y[i] * static_cast<double>(dy[r * kNormDim + i]);
      }
    }
    return sum;
  };
  LayerNorm norm = norm_of(gamma, beta);
  std::vector<float> dx = dy;
  for (std::size_t r = 0; r < kNormRows; ++r) {  // a group of gradients for each row
    norm.backward(r, {x.data() + r * kNormDim, 1, kNormDim},
                  {dx.data() + r * kNormDim, 1, kNormDim});
  }
  const std::vector<double> exact = exact_numbers(x);
  const auto of_x = [&](const std::vector<double>& v) { return loss(v, gamma, beta); };
  const auto of_gamma = [&](const std::vector<double>& v) { return loss(exact, v, beta); };
  const auto of_beta = [&](const std::vector<double>& v) { return loss(exact, gamma, v); };
  CHECK(relative_error(central_differences(of_x, exact), dx) < 1e-4);
  CHECK(relative_error(central_differences(of_gamma, gamma), norm.gamma().total_gradient()) < 1e-4);
  CHECK(relative_error(central_differences(of_beta, beta), norm.beta().total_gradient()) < 1e-4);
}
