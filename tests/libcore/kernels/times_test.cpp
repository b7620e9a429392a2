#include <limits>

#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

namespace {

constexpr std::size_t kDims[] = {1, 7, 16, 17, 32, 100, 172};
constexpr std::size_t kRows[] = {0, 1, 5, 33, 70};

/// Encodings of times with frequencies as temporal graph networks begin with: 10^0 to 10^-9.
struct Times {
  std::size_t rows, dim;
  std::vector<double> dt;
  Floats w, b;

  Times(std::size_t rows_, std::size_t dim_, double longest)
      : rows(rows_), dim(dim_), w(dim_), b(Floats::random(dim_, 3, -4, 4)) {
    Rng rng(rows + dim);
    for (std::size_t i = 0; i < rows; ++i) dt.push_back(rng.uniform(-0.1, 1) * longest);
    if (rows > 1) dt[1] = 0;
    for (std::size_t j = 0; j < dim; ++j) {
      w[j] = static_cast<float>(std::pow(10, -9 * static_cast<double>(j) / 171));
    }
  }
  TimeEncoding args() const { return {dt.data(), rows, w.data(), b.data(), dim}; }
  double phase(std::size_t i, std::size_t j) const {
    constexpr long double kTurn = 6.283185307179586476925286766559L;
    const long double radians = static_cast<long double>(w[j]) * dt[i] + b[j];
    return static_cast<double>(std::remainder(radians, kTurn));
  }
};

template <class Check>
void on_times(double longest, Check check) {
  on_every_level([&](const Kernels& k) {
    for (const std::size_t dim : kDims) {
      for (const std::size_t rows : kRows) {
        CAPTURE(dim);
        CAPTURE(rows);
        check(k, Times(rows, dim, longest));
      }
    }
  });
}

std::size_t matrix_size(const Times& t, std::size_t stride) {
  return t.rows == 0 ? 0 : (t.rows - 1) * stride + t.dim;
}

}  // namespace

TEST_CASE("time encodings are right to 1e-6 for phases up to a thousand million") {
  on_times(1e9, [](const Kernels& k, const Times& t) {
    const std::size_t stride = t.dim + 3;
    Floats out(matrix_size(t, stride), 7);
    k.time_encode(t.args(), out.data(), stride);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t row = i / stride, j = i % stride;
      wrong += j < t.dim ? !close(out[i], std::cos(t.phase(row, j)), 1) : out[i] != 7;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("a time difference of nothing gives cos(b), one that is no number gives none") {
  on_every_level([](const Kernels& k) {
    const double dt[] = {0, 1e300, std::numeric_limits<double>::quiet_NaN(),
                         std::numeric_limits<double>::infinity()};
    const float w = 1, b = 0.5f;
    float out[4];
    k.time_encode({dt, 4, &w, &b, 1}, out, 1);
    CHECK(close(out[0], std::cos(0.5), 1, 2e-7));
    CHECK(std::abs(out[1]) <= 1.000001f);
    CHECK(std::isnan(out[2]));
    CHECK(std::isnan(out[3]));
  });
}

TEST_CASE("time encodings' gradients agree with central differences and add to what is there") {
  on_times(20, [](const Kernels& k, const Times& t) {
    const std::size_t stride = t.dim + 3;
    const Floats g = Floats::random(matrix_size(t, stride), 5);
    Floats dw(t.dim, 0.25f), db(t.dim, -0.5f);
    k.time_encode_backward(t.args(), g.data(), stride, dw.data(), db.data());
    const double step = 1e-5;
    for (std::size_t j = 0; j < t.dim; ++j) {
      double by_w = 0, by_b = 0;
      for (std::size_t i = 0; i < t.rows; ++i) {
        const double gradient = g[i * stride + j], radians = t.phase(i, j);
        const double change = std::cos(radians + step) - std::cos(radians - step);
        by_b += gradient * change / (2 * step);
        by_w += gradient * change / (2 * step) * t.dt[i];
      }
      CHECK(close(dw[j], 0.25 + by_w, 20.0 * static_cast<double>(t.rows + 1)));
      CHECK(close(db[j], -0.5 + by_b, static_cast<double>(t.rows + 1)));
    }
  });
}

TEST_CASE("gradients by frequencies hold for Unix times") {
  on_times(2e9, [](const Kernels& k, const Times& t) {
    const Floats g = Floats::random(matrix_size(t, t.dim), 5);
    Floats dw(t.dim), db(t.dim);
    k.time_encode_backward(t.args(), g.data(), t.dim, dw.data(), db.data());
    for (std::size_t j = 0; j < t.dim; ++j) {
      double by_w = 0, by_b = 0;
      for (std::size_t i = 0; i < t.rows; ++i) {
        const double term = -std::sin(t.phase(i, j)) * g[i * t.dim + j];
        by_b += term;
        by_w += term * t.dt[i];
      }
      CHECK(close(dw[j], by_w, 2e9 * static_cast<double>(t.rows + 1)));
      CHECK(close(db[j], by_b, static_cast<double>(t.rows + 1)));
    }
  });
}
