#include <bit>
#include <utility>

#include "tests/libcore/kernels/every_level.h"

using namespace frugal;

TEST_CASE("adagrad agrees with its formula over three steps") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats start = Floats::random(n, 1);
    Floats w = start, h(n, 0.1f);
    std::vector<double> want(start.begin(), start.end()), history(n, 0.1f);
    for (std::uint64_t step = 0; step < 3; ++step) {
      const Floats g = Floats::random(n, 10 + step);
      k.optimizers[1].step({w.data(), h.data(), nullptr, g.data(), n}, {0.05f, 1e-8f});
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
    k.optimizers[1].step_row({w.data(), h.data(), nullptr, g.data(), n}, {0.05f, 1e-8f});
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
    k.optimizers[1].step({w.data(), h.data(), nullptr, g.data(), 5}, {1, 0});
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
      k.optimizers[2].step({w.data(), m.data(), v.data(), g.data(), n},
                           {float(lr), float(eps), 0.9f, 0.999f});
      for (std::size_t i = 0; i < n; ++i) {
        first[i] = 0.9 * first[i] + 0.1 * g[i];
        second[i] = 0.999 * second[i] + 0.001 * g[i] * g[i];
        want[i] -= lr * first[i] / (std::sqrt(second[i]) + eps);
      }
    }
    for (std::size_t i = 0; i < n; ++i) CHECK(close(w[i], want[i], 1, 2e-6));
  });
}

namespace {

/// Weights in two halves with their moments, laid out as the kernel wants them.
struct Split {
  Split(std::size_t rows, std::size_t cols)
      : rows(rows),
        cols(cols),
        panel((rows + 31) / 32 * 32 * kPanelColumns),
        high(panel * ((cols + kPanelColumns - 1) / kPanelColumns)),
        m(high.size()),
        v(high.size()),
        low(high.size()) {}

  std::size_t place(std::size_t r, std::size_t c) const {
    return c / 32 * panel + r / 32 * 1024 + c % 32 / 16 * 512 + r % 32 / 2 * 32 + c % 16 * 2 +
           r % 2;
  }
  void set(std::size_t r, std::size_t c, float w) {
    const auto bits = std::bit_cast<std::uint32_t>(w);
    high[place(r, c)].bits = static_cast<std::uint16_t>((bits + 0x8000U) >> 16);
    low[place(r, c)] = static_cast<std::int16_t>(bits & 0xffffU);
  }
  float get(std::size_t r, std::size_t c) const {
    const std::size_t at = place(r, c);
    return std::bit_cast<float>((std::uint32_t{high[at].bits} << 16) +
                                static_cast<std::uint32_t>(low[at]));
  }
  void step(const Kernels& k, const Floats& gradient, float lr, std::uint32_t key) {
    k.adam_split({.high = high.data(),
                  .low = low.data(),
                  .m = m.data(),
                  .v = v.data(),
                  .panel = panel,
                  .rows = rows,
                  .cols = cols,
                  .gradient = gradient.data(),
                  .gradient_stride = cols,
                  .lr = lr,
                  .beta1 = 0.9f,
                  .beta2 = 0.999f,
                  .eps = 1e-8f,
                  .key = key});
  }

  std::size_t rows, cols, panel;
  std::vector<BFloat16> high, m, v;
  std::vector<std::int16_t> low;
};

}  // namespace

TEST_CASE("adam on split weights steps by moments as they are before rounding") {
  on_every_level([](const Kernels& k) {
    for (const auto& [rows, cols] : {std::pair{1, 1}, std::pair{2, 16}, std::pair{33, 31},
                                     std::pair{64, 32}, std::pair{45, 100}}) {
      const auto num_rows = static_cast<std::size_t>(rows);
      const auto num_cols = static_cast<std::size_t>(cols);
      CAPTURE(num_rows);
      CAPTURE(num_cols);
      const Floats start = Floats::random(num_rows * num_cols, 1);
      const Floats g = Floats::random(num_rows * num_cols, 2);
      Split split(num_rows, num_cols);
      for (std::size_t r = 0; r < num_rows; ++r) {
        for (std::size_t c = 0; c < num_cols; ++c) {
          split.set(r, c, start[r * num_cols + c]);
          split.m[split.place(r, c)] = to_bfloat16(0.25f);
          split.v[split.place(r, c)] = to_bfloat16(0.5f);
        }
      }
      split.step(k, g, 0.01f, 77);
      std::vector<bool> used(split.high.size());
      for (std::size_t r = 0; r < num_rows; ++r) {
        for (std::size_t c = 0; c < num_cols; ++c) {
          const double x = g[r * num_cols + c];
          const double first = 0.9 * 0.25 + 0.1 * x, second = 0.999 * 0.5 + 0.001 * x * x;
          const double want = start[r * num_cols + c] - 0.01 * first / (std::sqrt(second) + 1e-8);
          const std::size_t at = split.place(r, c);
          used[at] = true;
          CHECK(close(split.get(r, c), want, 1));
          CHECK(close(to_float(split.high[at]), want, std::abs(want), 1.0 / 256));
          CHECK(std::abs(to_float(split.m[at]) - first) < std::abs(first) / 128);
          CHECK(std::abs(to_float(split.v[at]) - second) < second / 128);
        }
      }
      for (std::size_t i = 0; i < used.size(); ++i) {
        if (used[i]) continue;
        CHECK(split.high[i].bits == 0);
        CHECK(split.low[i] == 0);
      }
    }
  });
}

TEST_CASE("adam on split weights leaves none half way between two bf16") {
  on_every_level([](const Kernels& k) {
    Split split(33, 20);
    const float tie = 1.00390625f;
    for (std::size_t r = 0; r < 33; ++r) {
      for (std::size_t c = 0; c < 20; ++c)
        split.set(r, c, c % 3 == 0 ? -tie : c % 3 == 1 ? tie : 1);
    }
    split.step(k, Floats(33 * 20, 0.0f), 0.01f, 1);
    for (std::size_t r = 0; r < 33; ++r) {
      for (std::size_t c = 0; c < 20; ++c) {
        const float next = std::nextafter(tie, 2.0f);
        CHECK(split.get(r, c) == (c % 3 == 0 ? -next : c % 3 == 1 ? next : 1));
      }
    }
  });
}

TEST_CASE("moments kept as bf16 have the mean of exact ones over many steps") {
  constexpr std::size_t kRows = 66, kCols = 70, kSize = kRows * kCols;
  constexpr int kSteps = 1500;
  on_every_level([&](const Kernels& k) {
    Split split(kRows, kCols);
    double first = 0, second = 0;
    for (int step = 0; step < kSteps; ++step) {
      // From step 500 on v changes by less than half a unit of its last place each time.
      const float gradient = step < 500 ? 1.0f : 0.9f;
      first = 0.9 * first + 0.1 * gradient;
      second = 0.999 * second + 0.001 * gradient * gradient;
      split.step(k, Floats(kSize, gradient), 1e-3f, static_cast<std::uint32_t>(step) * 0x85ebca6bU);
    }
    double mean = 0, mean_first = 0, variance = 0;
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kCols; ++c) {
        mean_first += to_float(split.m[split.place(r, c)]) / kSize;
        mean += to_float(split.v[split.place(r, c)]) / kSize;
      }
    }
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kCols; ++c) {
        const double off = to_float(split.v[split.place(r, c)]) - mean;
        variance += off * off / kSize;
      }
    }
    // A rounding's deviation is at most half a unit, 2^-9; v's last some 500 of them stay, each
    // number's own: a few thousandths of it by number, divided by sqrt(kSize) in the mean.
    CHECK(close(mean_first, first, first, 3e-4));
    CHECK(close(mean, second, second, 2e-3));
    CHECK(variance > 0);
  });
}

TEST_CASE("rounding of moments is a function of key and place") {
  on_every_level([](const Kernels& k) {
    const Floats g = Floats::random(60 * 50, 2);
    const auto step = [&](std::uint32_t key) {
      Split split(60, 50);
      split.step(k, g, 1e-3f, key);
      std::vector<std::uint16_t> bits;
      for (const BFloat16 x : split.v) bits.push_back(x.bits);
      return bits;
    };
    CHECK(step(1) == step(1));
    CHECK(step(1) != step(0x85ebca6bU));
  });
}
