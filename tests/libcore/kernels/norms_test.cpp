#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

double gelu_of(double x) {
  return x /
         (1 + std::exp(-2 * std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

/// gamma (x - mean) / sqrt(variance + 1e-5) + beta.
std::vector<double> normalized(const std::vector<double>& x, const std::vector<double>& gamma,
                               const std::vector<double>& beta) {
  const auto n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double v : x) mean += v / n;
  for (const double v : x) variance += (v - mean) * (v - mean) / n;
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y.push_back(gamma[i] * (x[i] - mean) / std::sqrt(variance + 1e-5) + beta[i]);
  }
  return y;
}

/// Vectors of a norm over n numbers, and the weights whose sum with y the gradients are of.
struct NormCase {
  std::vector<double> x, gamma, beta, dy;

  double loss() const {
    const std::vector<double> y = normalized(x, gamma, beta);
    double sum = 0;
    for (std::size_t i = 0; i < y.size(); ++i) sum += dy[i] * y[i];
    return sum;
  }
  double slope(std::vector<double> NormCase::*of, std::size_t i) {
    constexpr double kStep = 1e-5;
    double& at = (this->*of)[i];
    const double value = at;
    at = value + kStep;
    const double above = loss();
    at = value - kStep;
    const double below = loss();
    at = value;
    return (above - below) / (2 * kStep);
  }
};

std::vector<double> column(const Floats& x, std::size_t begin, std::size_t n, std::size_t step) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(x[begin + i * step]);
  return values;
}

}  // namespace

TEST_CASE("gelu and its slope are those of the formula") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats x = Floats::random(n, 1, -6, 6), gradient = Floats::random(n, 2);
    Floats y(n), dy = gradient, same = x;
    k.gelu(x.data(), y.data(), n);
    k.gelu(same.data(), same.data(), n);
    k.gelu_backward(x.data(), dy.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const double slope = (gelu_of(x[i] + 1e-5) - gelu_of(x[i] - 1e-5)) / 2e-5;
      CHECK(close(y[i], gelu_of(x[i]), 1));
      CHECK(same[i] == y[i]);
      CHECK(close(dy[i], gradient[i] * slope, 1, 3e-6));
    }
  });
}

TEST_CASE("a row's norm and its gradients are those of the formula") {
  at_every_size([](const Kernels& k, std::size_t n) {
    if (n == 0 || n > 1000) return;
    const Floats x = Floats::random(n, 1, 3, 5), gamma = Floats::random(n, 2),
                 beta = Floats::random(n, 3), gradient = Floats::random(n, 4);
    Floats y(n), dx = gradient, dgamma(n, 1), dbeta(n, 2);
    const RowNorm norm{x.data(), gamma.data(), beta.data(), n};
    k.normalize_row(norm, y.data());
    k.normalize_row_backward(norm, dx.data(), dgamma.data(), dbeta.data());
    NormCase plain{column(x, 0, n, 1), column(gamma, 0, n, 1), column(beta, 0, n, 1),
                   column(gradient, 0, n, 1)};
    const std::vector<double> want = normalized(plain.x, plain.gamma, plain.beta);
    for (std::size_t i = 0; i < n; i += 1 + n / 50) {
      CHECK(close(y[i], want[i], 1, 1e-5));
      CHECK(close(dx[i], plain.slope(&NormCase::x, i), 1 + std::abs(dx[i]), 1e-4));
      CHECK(close(dgamma[i], 1 + plain.slope(&NormCase::gamma, i), 1, 1e-4));
      CHECK(close(dbeta[i], 2.0 + gradient[i], 1, 1e-6));
    }
  });
}

TEST_CASE("norms of columns and their gradients are those of the formula") {
  on_every_level([](const Kernels& k) {
    for (const std::size_t cols : {1U, 7U, 16U, 17U, 40U}) {
      for (const std::size_t rows : {1U, 3U, 20U}) {
        CAPTURE(cols);
        CAPTURE(rows);
        const std::size_t stride = cols + 3;
        const Floats x = Floats::random(rows * stride, 1), gamma = Floats::random(rows, 2),
                     beta = Floats::random(rows, 3), gradient = Floats::random(rows * stride, 4);
        Floats y(rows * stride, -7), dx = gradient, dgamma(rows, 1), dbeta(rows, 2);
        const ColumnNorm norm{x.data(), stride, rows, cols, gamma.data(), beta.data()};
        k.normalize_columns(norm, y.data());
        k.normalize_columns_backward(norm, dx.data(), dgamma.data(), dbeta.data());
        std::vector<double> all_gamma(rows, 1), all_beta(rows, 2);
        for (std::size_t c = 0; c < cols; ++c) {
          NormCase plain{column(x, c, rows, stride), column(gamma, 0, rows, 1),
                         column(beta, 0, rows, 1), column(gradient, c, rows, stride)};
          const std::vector<double> want = normalized(plain.x, plain.gamma, plain.beta);
          for (std::size_t r = 0; r < rows; ++r) {
            CHECK(close(y[r * stride + c], want[r], 1, 3e-5));
            const double slope = plain.slope(&NormCase::x, r);
            CHECK(close(dx[r * stride + c], slope, 1 + std::abs(slope), 3e-4));
            all_gamma[r] += plain.slope(&NormCase::gamma, r);
            all_beta[r] += gradient[r * stride + c];
          }
        }
        for (std::size_t r = 0; r < rows; ++r) {
          CHECK(close(dgamma[r], all_gamma[r], 10, 1e-4));
          CHECK(close(dbeta[r], all_beta[r], 10, 1e-6));
          for (std::size_t c = cols; c < stride; ++c) {
            CHECK(y[r * stride + c] == -7);
            CHECK(dx[r * stride + c] == gradient[r * stride + c]);
          }
        }
      }
    }
  });
}
