#include <algorithm>
#include <limits>

#include "tests/libcore/kernels/every_level.h"
#include "tests/support/worst.h"

using namespace frugal;

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Gates of random numbers, each matrix with a stride of its own.
struct Gates {
  std::size_t rows, dim;
  Floats rz, nx, nh, h;

  Gates(std::size_t rows_, std::size_t dim_, double spread)
      : rows(rows_),
        dim(dim_),
        rz(Floats::random(rows * (2 * dim + 1), 1, -spread, spread)),
        nx(Floats::random(rows * (dim + 2), 2, -spread, spread)),
        nh(Floats::random(rows * (dim + 3), 3, -spread, spread)),
        h(Floats::random(rows * (dim + 4), 4, -spread, spread)) {}
  GruGates args() {
    return {rows,    dim,       rz.data(), 2 * dim + 1, nx.data(),
            dim + 2, nh.data(), dim + 3,   h.data(),    dim + 4};
  }
  float& r_at(std::size_t i, std::size_t j) { return rz[i * (2 * dim + 1) + j]; }
  float& z_at(std::size_t i, std::size_t j) { return rz[i * (2 * dim + 1) + dim + j]; }
  float& nx_at(std::size_t i, std::size_t j) { return nx[i * (dim + 2) + j]; }
  float& nh_at(std::size_t i, std::size_t j) { return nh[i * (dim + 3) + j]; }
  float& h_at(std::size_t i, std::size_t j) { return h[i * (dim + 4) + j]; }
};

/// One element of a gated recurrent unit in double.
struct Unit {
  double r, z, nx, nh, h;
  double n() const { return std::tanh(nx + sigmoid(r) * nh); }
  double out() const { return (1 - sigmoid(z)) * n() + sigmoid(z) * h; }
  double slope(double Unit::*by) const {
    constexpr double kStep = 1e-5;
    Unit above = *this, below = *this;
    above.*by += kStep;
    below.*by -= kStep;
    return (above.out() - below.out()) / (2 * kStep);
  }
};

Unit unit_at(Gates& g, std::size_t i, std::size_t j) {
  return {g.r_at(i, j), g.z_at(i, j), g.nx_at(i, j), g.nh_at(i, j), g.h_at(i, j)};
}

template <class Check>
void on_gates(Check check) {
  on_every_level([&](const Kernels& k) {
    for (const std::size_t dim : {1, 7, 16, 17, 33, 100, 172}) {
      for (const std::size_t rows : {0, 1, 5}) {
        CAPTURE(dim);
        CAPTURE(rows);
        check(k, Gates(rows, dim, dim == 33 ? 30 : 2));
      }
    }
  });
}

}  // namespace

TEST_CASE("tanh has a relative error below 5e-7, near 0 too") {
  constexpr float kLargest = std::numeric_limits<float>::max();
  on_every_level([&](const Kernels& k) {
    std::vector<float> x;
    for (float v = 1e-44f; v < 1; v = v * 1.01f + 1e-45f) x.push_back(v);
    for (float v = 0; v < 12; v += 0.0001f) x.push_back(-v);
    for (const float v : {12.0f, -50.0f, 88.0f, -1000.0f, kLargest, -kLargest}) x.push_back(v);
    std::vector<float> y = x;
    k.tanh(y.data(), y.size());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Subnormal results are right to a unit of the last place.
      const double want = std::tanh(double(x[i])), error = std::abs(y[i] - want);
      worst = worse(worst, std::max(error - 1.5e-45, 0.0) / std::max(std::abs(want), 1e-300));
    }
    CHECK(worst < 5e-7);
  });
}

TEST_CASE("tanh works on every size and keeps signs, infinities and NaN") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats before = Floats::random(n, 1, -5, 5);
    Floats x = before;
    k.tanh(x.data(), n);
    for (std::size_t i = 0; i < n; ++i) CHECK(close(x[i], std::tanh(double(before[i])), 1, 2e-7));
  });
  on_every_level([](const Kernels& k) {
    const float infinity = std::numeric_limits<float>::infinity();
    float x[] = {0, -0.0f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN()};
    k.tanh(x, 5);
    CHECK(x[0] == 0);
    CHECK(!std::signbit(x[0]));
    CHECK(x[1] == 0);
    CHECK(std::signbit(x[1]));
    CHECK(x[2] == 1);
    CHECK(x[3] == -1);
    CHECK(std::isnan(x[4]));
  });
}

TEST_CASE("tanh_backward multiplies by the slope") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats y = Floats::random(n, 1), before = Floats::random(n, 2);
    Floats dy = before;
    k.tanh_backward(y.data(), dy.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(close(dy[i], before[i] * (1 - double(y[i]) * y[i]), 1, 3e-7));
    }
  });
}

TEST_CASE("gru_forward agrees with plain code and leaves the gates") {
  on_gates([](const Kernels& k, Gates g) {
    Gates before = g;
    const std::size_t stride = g.dim + 5;
    Floats out(g.rows * stride, 7);
    k.gru_forward(g.args(), out.data(), stride);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < g.rows; ++i) {
      for (std::size_t j = 0; j < g.dim; ++j) {
        const Unit u = unit_at(before, i, j);
        wrong += !close(out[i * stride + j], u.out(), 2 + std::abs(u.h));
        wrong += !close(g.r_at(i, j), sigmoid(u.r), sigmoid(u.r));
        wrong += !close(g.z_at(i, j), sigmoid(u.z), sigmoid(u.z));
        wrong += !close(g.nx_at(i, j), u.n(), 1 + std::abs(u.nx) + std::abs(u.nh));
      }
      wrong += static_cast<std::size_t>(
          std::count(out.data() + i * stride + g.dim, out.data() + (i + 1) * stride, 7.0f) != 5);
      wrong += g.z_at(i, g.dim) != before.z_at(i, g.dim);
      wrong += g.nx_at(i, g.dim) != before.nx_at(i, g.dim);
    }
    CHECK(wrong == 0);
    CHECK(std::equal(g.nh.begin(), g.nh.end(), before.nh.begin()));
    CHECK(std::equal(g.h.begin(), g.h.end(), before.h.begin()));
  });
}

TEST_CASE("gru_backward agrees with central differences, with and without the state's gradient") {
  on_gates([](const Kernels& k, Gates g) {
    Gates before = g;
    const std::size_t stride = g.dim + 5;
    Floats out(g.rows * stride), dh(g.rows * stride, 0.5f);
    const Floats dout = Floats::random(g.rows * stride, 9);
    k.gru_forward(g.args(), out.data(), stride);
    Gates again = g;
    k.gru_backward(g.args(), dout.data(), stride, dh.data(), stride);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < g.rows; ++i) {
      for (std::size_t j = 0; j < g.dim; ++j) {
        const Unit u = unit_at(before, i, j);
        const double d = dout[i * stride + j];
        const double scale = 1 + std::abs(u.h) + std::abs(u.nh);
        wrong += !close(g.r_at(i, j), d * u.slope(&Unit::r), scale);
        wrong += !close(g.z_at(i, j), d * u.slope(&Unit::z), scale);
        wrong += !close(g.nx_at(i, j), d * u.slope(&Unit::nx), scale);
        wrong += !close(g.nh_at(i, j), d * u.slope(&Unit::nh), scale);
        wrong += !close(dh[i * stride + j], 0.5 + d * u.slope(&Unit::h), 1);
      }
      wrong += dh[i * stride + g.dim] != 0.5f;
      wrong += g.nh_at(i, g.dim) != before.nh_at(i, g.dim);
    }
    CHECK(wrong == 0);
    k.gru_backward(again.args(), dout.data(), stride, nullptr, 0);
    CHECK(std::equal(again.rz.begin(), again.rz.end(), g.rz.begin()));
    CHECK(std::equal(again.nh.begin(), again.nh.end(), g.nh.begin()));
  });
}
