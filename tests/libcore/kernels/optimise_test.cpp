#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

TEST_CASE("adagrad agrees with its formula over three steps") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats start = Floats::random(n, 1);
    Floats w = start, h(n, 0.1f);
    std::vector<double> want(start.begin(), start.end()), history(n, 0.1f);
    for (std::uint64_t step = 0; step < 3; ++step) {
      const Floats g = Floats::random(n, 10 + step);
      k.adagrad(w.data(), h.data(), g.data(), n, 0.05f, 1e-8f);
      for (std::size_t i = 0; i < n; ++i) {
        history[i] += double(g[i]) * g[i];
        want[i] -= 0.05 * g[i] / (std::sqrt(history[i]) + 1e-8);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(close(w[i], want[i], 1));
      CHECK(close(h[i], history[i], history[i]));
    }
  });
}

TEST_CASE("adagrad_row keeps one accumulator, the mean of the squares") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats start = Floats::random(n, 1), g = Floats::random(n, 2);
    Floats w = start, h(1, 0.1f);
    k.adagrad_row(w.data(), h.data(), g.data(), n, 0.05f, 1e-8f);
    double mean = 0;
    for (const float v : g) mean += double(v) * v / static_cast<double>(n);
    CHECK(close(h[0], 0.1f + mean, 1));
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(close(w[i], start[i] - 0.05 / (std::sqrt(0.1 + mean) + 1e-8) * g[i], 1));
    }
  });
}

TEST_CASE("a parameter without gradient stays where it is, with eps = 0 too in unused lanes") {
  on_every_level([](const Kernels& k) {
    Floats w(5, 2), h(5, 1), g(5, 0);
    k.adagrad(w.data(), h.data(), g.data(), 5, 1, 0);
    for (const float v : w) CHECK(v == 2);
  });
}

TEST_CASE("adam agrees with its formula over three steps") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats start = Floats::random(n, 1);
    Floats w = start, m(n), v(n);
    std::vector<double> want(start.begin(), start.end()), first(n), second(n);
    for (int step = 1; step <= 3; ++step) {
      const Floats g = Floats::random(n, 10 + static_cast<std::uint64_t>(step));
      const double root = std::sqrt(1 - std::pow(0.999, step));
      const double lr = 0.01 * root / (1 - std::pow(0.9, step)), eps = 1e-8 * root;
      k.adam(w.data(), m.data(), v.data(), g.data(), n, float(lr), 0.9f, 0.999f, float(eps));
      for (std::size_t i = 0; i < n; ++i) {
        first[i] = 0.9 * first[i] + 0.1 * g[i];
        second[i] = 0.999 * second[i] + 0.001 * g[i] * g[i];
        want[i] -= lr * first[i] / (std::sqrt(second[i]) + eps);
      }
    }
    for (std::size_t i = 0; i < n; ++i) CHECK(close(w[i], want[i], 1, 2e-6));
  });
}
