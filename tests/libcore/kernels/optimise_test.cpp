#include <algorithm>

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

TEST_CASE("adam with bf16 moments steps by moments as they are before rounding") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats start = Floats::random(n, 1), g = Floats::random(n, 2);
    Floats w = start;
    std::vector<BFloat16> m(n + 1), v(n + 1);
    for (std::size_t i = 0; i <= n; ++i) {
      m[i] = to_bfloat16(0.25f);
      v[i] = to_bfloat16(0.5f);
    }
    k.adam_bf16(w.data(), m.data(), v.data(), g.data(), n, 0.01f, 0.9f, 0.999f, 1e-8f, 77);
    for (std::size_t i = 0; i < n; ++i) {
      const double first = 0.9 * 0.25 + 0.1 * g[i], second = 0.999 * 0.5 + 0.001 * g[i] * g[i];
      CHECK(close(w[i], start[i] - 0.01 * first / (std::sqrt(second) + 1e-8), 1));
      // A neighbour of what was rounded.
      CHECK(std::abs(to_float(m[i]) - first) < std::abs(first) / 128);
      CHECK(std::abs(to_float(v[i]) - second) < second / 128);
    }
    CHECK(to_float(m[n]) == 0.25f);
    CHECK(to_float(v[n]) == 0.5f);
  });
}

TEST_CASE("moments kept as bf16 have the mean of exact ones over many steps") {
  constexpr std::size_t kSize = 4099;
  constexpr int kSteps = 1500;
  on_every_level([&](const Kernels& k) {
    std::vector<float> w(kSize), g(kSize);
    std::vector<BFloat16> m(kSize), v(kSize);
    double first = 0, second = 0;
    for (int step = 0; step < kSteps; ++step) {
      // From step 500 on v changes by less than half a unit of its last place each time.
      const float gradient = step < 500 ? 1.0f : 0.9f;
      std::fill(g.begin(), g.end(), gradient);
      first = 0.9 * first + 0.1 * gradient;
      second = 0.999 * second + 0.001 * gradient * gradient;
      k.adam_bf16(w.data(), m.data(), v.data(), g.data(), kSize, 1e-3f, 0.9f, 0.999f, 1e-8f,
                  static_cast<std::uint32_t>(step) * 0x85ebca6bU);
    }
    double mean_first = 0, mean_second = 0;
    for (std::size_t i = 0; i < kSize; ++i) {
      mean_first += to_float(m[i]) / kSize;
      mean_second += to_float(v[i]) / kSize;
    }
    // A rounding's deviation is at most half a unit, 2^-9; v's last some 500 of them stay, each
    // number's own: a few thousandths of it by number, divided by sqrt(kSize) in the mean.
    CHECK(close(mean_first, first, first, 3e-4));
    CHECK(close(mean_second, second, second, 2e-3));
    std::vector<std::uint16_t> bits;
    for (const BFloat16 x : v) bits.push_back(x.bits);
    CHECK(*std::max_element(bits.begin(), bits.end()) >
          *std::min_element(bits.begin(), bits.end()));
  });
}

TEST_CASE("rounding of moments is a function of key and place") {
  on_every_level([](const Kernels& k) {
    constexpr std::size_t kSize = 1003;
    const Floats g = Floats::random(kSize, 2);
    const auto step = [&](std::uint32_t key) {
      std::vector<float> w(kSize);
      std::vector<BFloat16> m(kSize), v(kSize);
      k.adam_bf16(w.data(), m.data(), v.data(), g.data(), kSize, 1e-3f, 0.9f, 0.999f, 1e-8f, key);
      std::vector<std::uint16_t> bits;
      for (const BFloat16 x : m) bits.push_back(x.bits);
      for (const BFloat16 x : v) bits.push_back(x.bits);
      return bits;
    };
    CHECK(step(1) == step(1));
    CHECK(step(1) != step(2));
  });
}
