#include "libcore/nn/linear.h"

#include <doctest/doctest.h>

#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

constexpr std::size_t kBatch = 5, kIn = 19, kOut = 34;

/// sum_{r,o} c[r,o] y[r,o] with y = x W^T + b, in double: its gradients are those of the layer for
/// dy = c.
double weighted_output(const std::vector<double>& x, const std::vector<double>& w,
                       const std::vector<double>& b, const std::vector<float>& c) {
  double sum = 0;
  for (std::size_t r = 0; r < kBatch; ++r) {
    for (std::size_t o = 0; o < kOut; ++o) {
      double y = b[o];
      for (std::size_t i = 0; i < kIn; ++i) y += x[r * kIn + i] * w[o * kIn + i];
      sum += c[r * kOut + o] * y;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("a linear layer's gradients agree with central differences") {
  std::vector<float> x = random_floats(kBatch * kIn, 1), w = random_floats(kOut * kIn, 2);
  std::vector<float> b = random_floats(kOut, 3), c = random_floats(kBatch * kOut, 4);
  const MatrixView<const float> xv(x.data(), kBatch, kIn), wv(w.data(), kOut, kIn),
      dy(c.data(), kBatch, kOut);
  std::vector<float> y(kBatch * kOut), dx(x.size()), dw(w.size()), db(b.size());

  linear_forward(xv, wv, b, {y.data(), kBatch, kOut});
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    sum += static_cast<double>(c[i]) * static_cast<double>(y[i]);
  CHECK(sum ==
        doctest::Approx(weighted_output(widened(x), widened(w), widened(b), c)).epsilon(1e-5));

  linear_backward_input(dy, wv, {dx.data(), kBatch, kIn});
  linear_backward_weights(dy, xv, {dw.data(), kOut, kIn}, db);
  const auto xd = widened(x), wd = widened(w), bd = widened(b);
  CHECK(relative_error(
            central_differences([&](auto& v) { return weighted_output(v, wd, bd, c); }, xd), dx) <
        1e-6);
  CHECK(relative_error(
            central_differences([&](auto& v) { return weighted_output(xd, v, bd, c); }, wd), dw) <
        1e-6);
  CHECK(relative_error(
            central_differences([&](auto& v) { return weighted_output(xd, wd, v, c); }, bd), db) <
        1e-6);
}

TEST_CASE("a linear layer without bias begins at zero") {
  const std::vector<float> x = {1, 2}, w = {3, 4, 5, 6};
  std::vector<float> y = {99, 99};
  linear_forward({x.data(), 1, 2}, {w.data(), 2, 2}, {}, {y.data(), 1, 2});
  CHECK(y == std::vector<float>{11, 17});
}
