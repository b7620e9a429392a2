#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/libcore/kernels/every_level.h"
#include "tests/support/worst.h"

using namespace frugal;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("dot and squared_norm agree with double-precision sums") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats x = Floats::random(n, 1), y = Floats::random(n, 2);
    double product = 0, size = 0, square = 0;
    for (std::size_t i = 0; i < n; ++i) {
      product += double(x[i]) * y[i];
      size += std::abs(double(x[i]) * y[i]);
      square += double(x[i]) * x[i];
    }
    CHECK(close(k.dot(x.data(), y.data(), n), product, size));
    CHECK(close(k.squared_norm(x.data(), n), square, square));
  });
}

TEST_CASE("a sum of ten million equal terms keeps its digits") {
  on_every_level([](const Kernels& k) {
    const std::vector<float> x(10'000'000, 0.1f);
    CHECK(k.squared_norm(x.data(), x.size()) == doctest::Approx(1e5).epsilon(1e-6));
  });
}

TEST_CASE("axpy and scale agree with plain code") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats x = Floats::random(n, 1), before = Floats::random(n, 2);
    Floats y = before, z = before;
    k.axpy(0.75f, x.data(), y.data(), n);
    k.scale(-3, z.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(close(y[i], before[i] + 0.75 * x[i], 2));
      CHECK(z[i] == -3 * before[i]);
    }
  });
}

TEST_CASE("max finds the largest wherever it is, and -inf in nothing") {
  at_every_size([](const Kernels& k, std::size_t n) {
    Floats x = Floats::random(n, 1, -9, -8);
    if (n == 0) CHECK(k.max(x.data(), 0) == -kInfinity);
    for (std::size_t i = 0; i < n; i += 1 + n / 40) {
      const float old = x[i];
      x[i] = -2;
      CHECK(k.max(x.data(), n) == -2);
      x[i] = old;
    }
    if (n > 0) CHECK(k.max(x.data(), n) == *std::max_element(x.begin(), x.end()));
  });
}

TEST_CASE("exp_sum has a relative error below 2e-7 where the result is normal") {
  on_every_level([](const Kernels& k) {
    constexpr std::size_t n = 200'001;
    Floats x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = -87.3f + 176.0f * static_cast<float>(i) / (n - 1);
    const Floats before = x;
    k.exp_sum(x.data(), 0, n);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double want = std::exp(double(before[i]));
      worst = worse(worst, std::abs(x[i] - want) / want);
    }
    CHECK(worst < 2e-7);
  });
}

TEST_CASE("exp_sum shifts, sums, and keeps the ends of the range") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats before = Floats::random(n, 1, -20, 5);
    Floats x = before;
    double want = 0;
    for (const float v : before) want += std::exp(double(v) - 5);
    CHECK(close(k.exp_sum(x.data(), 5, n), want, want));
  });
  on_every_level([](const Kernels& k) {
    float x[] = {-kInfinity, -1000, -104, -100, 0, 88.7f, 89, kInfinity, kNan};
    k.exp_sum(x, 0, 9);
    CHECK(x[0] == 0);
    CHECK(x[1] == 0);
    CHECK(x[2] == 0);
    CHECK(close(x[3], std::exp(-100.0), 1.5e-45, 1));
    CHECK(x[4] == 1);
    CHECK(x[5] == doctest::Approx(std::exp(88.7f)).epsilon(1e-6));
    CHECK(x[6] == kInfinity);
    CHECK(x[7] == kInfinity);
    CHECK(std::isnan(x[8]));
  });
}

TEST_CASE("softmax sums to one, returns the log of the sum, and bears large scores") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats before = Floats::random(n, 1, 900, 930);
    Floats x = before;
    const float log_sum = k.softmax(x.data(), n);
    if (n == 0) {
      CHECK(log_sum == -kInfinity);
      return;
    }
    double total = 0;
    for (const float v : before) total += std::exp(double(v) - 930);
    CHECK(log_sum == doctest::Approx(930 + std::log(total)).epsilon(1e-6));
    for (std::size_t i = 0; i < n; ++i) {
      const double want = std::exp(double(before[i]) - 930) / total;
      CHECK(close(x[i], want, want));
    }
  });
}

TEST_CASE("sigmoid agrees with double precision and saturates") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats before = Floats::random(n, 1, -30, 30);
    Floats x = before;
    k.sigmoid(x.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const double want = 1 / (1 + std::exp(-double(before[i])));
      CHECK(close(x[i], want, want));
    }
  });
  on_every_level([](const Kernels& k) {
    float x[] = {-kInfinity, -200, 0, 200, kInfinity};
    k.sigmoid(x, 5);
    CHECK(x[0] == 0);
    CHECK(x[1] == 0);
    CHECK(x[2] == 0.5f);
    CHECK(x[3] == 1);
    CHECK(x[4] == 1);
  });
}

TEST_CASE("logistic losses and gradients agree with double precision, weighted or not") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats before = Floats::random(n, 1, -30, 30), weights = Floats::random(n, 2, 0, 5);
    for (const bool weighted : {false, true}) {
      Floats x = before;
      double loss = 0;
      const float sum = k.logistic(x.data(), weighted ? weights.data() : nullptr, n);
      for (std::size_t i = 0; i < n; ++i) {
        const double v = before[i], w = weighted ? double(weights[i]) : 1;
        loss += w * (std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v))));
        const double want = w / (1 + std::exp(-v));
        CHECK(close(x[i], want, want));
      }
      CHECK(close(sum, loss, loss));
    }
  });
  on_every_level([](const Kernels& k) {
    float x[] = {-200, 0, 200};
    CHECK(k.logistic(x, nullptr, 3) == doctest::Approx(200 + std::log(2.0)));
    CHECK(x[0] == 0);
    CHECK(x[1] == 0.5f);
    CHECK(x[2] == 1);
  });
}

TEST_CASE("relu and its backward pass agree with plain code; NaN stays") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats before = Floats::random(n, 1), gradient = Floats::random(n, 2);
    Floats y = before, dy = gradient;
    k.relu(y.data(), n);
    k.relu_backward(y.data(), dy.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(y[i] == std::max(before[i], 0.0f));
      CHECK(dy[i] == (before[i] > 0 ? gradient[i] : 0));
    }
  });
  on_every_level([](const Kernels& k) {
    float x = kNan;
    k.relu(&x, 1);
    CHECK(std::isnan(x));
  });
}

TEST_CASE("all_finite finds one bad value anywhere") {
  at_every_size([](const Kernels& k, std::size_t n) {
    Floats x = Floats::random(n, 1, -3e38, 3e38);
    CHECK(k.all_finite(x.data(), n));
    for (std::size_t i = 0; i < n; i += 1 + n / 40) {
      for (const float bad : {kInfinity, -kInfinity, kNan}) {
        const float old = x[i];
        x[i] = bad;
        CHECK_FALSE(k.all_finite(x.data(), n));
        x[i] = old;
      }
    }
  });
}

TEST_CASE("select_at_least lists the indices in order") {
  at_every_size([](const Kernels& k, std::size_t n) {
    const Floats x = Floats::random(n, 1);
    for (const float threshold : {-2.0f, 0.0f, 0.9f, n > 0 ? x[n / 2] : 0.0f, 2.0f, kNan}) {
      CAPTURE(threshold);
      std::vector<std::uint32_t> want, got(n + 1, 77);
      for (std::size_t i = 0; i < n; ++i) {
        if (x[i] >= threshold) want.push_back(static_cast<std::uint32_t>(i));
      }
      got.resize(n);
      got.resize(k.select_at_least(x.data(), n, threshold, got.data()));
      CHECK(got == want);
    }
  });
}

TEST_CASE("every conversion to bf16 and back is that of one value") {
  std::vector<float> values = {0.0f,        -0.0f,       1e-45f,    -1e-40f,    3.3895e38f,
                               3.4e38f,     kNan,        kInfinity, -kInfinity, 1.0f,
                               1.00390625f, 1.01171875f, 0x1p-126f};
  Rng rng(1);
  while (values.size() < 5000) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(rng.next())));
  }
  at_every_size([&](const Kernels& k, std::size_t n) {
    std::vector<BFloat16> halves(n + 1, BFloat16{0x7777});
    std::vector<float> back(n + 1, 5);
    k.to_bf16(values.data(), halves.data(), n);
    k.from_bf16(halves.data(), back.data(), n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      wrong += halves[i].bits != to_bfloat16(values[i]).bits;
      wrong += std::bit_cast<std::uint32_t>(back[i]) !=
               std::bit_cast<std::uint32_t>(to_float(halves[i]));
    }
    CHECK(wrong == 0);
    CHECK(halves[n].bits == 0x7777);
    CHECK(back[n] == 5);
  });
}

TEST_CASE("transpose turns matrices of any shape and stride") {
  on_every_level([](const Kernels& k) {
    for (const std::size_t rows : kSizes) {
      for (const std::size_t cols : {0, 1, 5, 16, 33, 70}) {
        if (rows > 1000) continue;
        const std::size_t from_stride = rows + 3, to_stride = cols + 5;
        const Floats from = Floats::random(cols * from_stride, 1);
        Floats to(rows * to_stride, 7);
        k.transpose(from.data(), from_stride, rows, cols, to.data(), to_stride);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < rows; ++i) {
          for (std::size_t j = 0; j < to_stride; ++j) {
            wrong += to[i * to_stride + j] != (j < cols ? from[j * from_stride + i] : 7);
          }
        }
        CHECK(wrong == 0);
      }
    }
  });
}

TEST_CASE(
    "rounding to bf16 at random takes a neighbour, as the key says, the same on every level") {
  std::vector<float> values = {0.0f, -0.0f, 1e-45f, -1e-40f, kNan, kInfinity, -kInfinity, 1.0f};
  Rng rng(1);
  while (values.size() < 5000) values.push_back(static_cast<float>(rng.normal()));
  std::vector<std::uint16_t> first(values.size());
  at_every_size([&](const Kernels& k, std::size_t n) {
    std::vector<BFloat16> halves(n + 1, BFloat16{0x7777});
    k.to_bf16_at_random(values.data(), halves.data(), n, 99);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(values[i]);
      const bool exact = (bits & 0xffffu) == 0;
      const bool down = halves[i].bits == bits >> 16;
      const bool up = halves[i].bits == (bits >> 16) + 1 && !exact;
      wrong += std::isnan(values[i]) ? !std::isnan(to_float(halves[i])) : !down && !up;
      if (first[i] == 0) first[i] = halves[i].bits;
      wrong += halves[i].bits != first[i];
    }
    CHECK(wrong == 0);
    CHECK(halves[n].bits == 0x7777);
  });
}

TEST_CASE("rounding to bf16 at random is right on average, over keys and over places") {
  constexpr std::size_t kN = 64, kKeys = 4096;
  on_every_level([&](const Kernels& k) {
    for (const float share : {0.01f, 0.3f, 0.9f}) {
      const std::vector<float> x(kN, -(1 + share / 128));
      std::vector<double> ups(kN);
      double all = 0;
      for (std::uint32_t key = 0; key < kKeys; ++key) {
        BFloat16 y[kN];
        k.to_bf16_at_random(x.data(), y, kN, key);
        for (std::size_t i = 0; i < kN; ++i) ups[i] += to_float(y[i]) < -1;
      }
      const double p = share, deviation = std::sqrt(kKeys * p * (1 - p));
      for (const double up : ups) {
        CHECK(std::abs(up - kKeys * p) < 5 * deviation);
        all += up;
      }
      CHECK(std::abs(all - kN * kKeys * p) < 5 * std::sqrt(double(kN)) * deviation);
    }
  });
}

TEST_CASE("log1p is the logarithm of 1 + x, which increases, and leaves -inf") {
  at_every_size([](const Kernels& k, std::size_t n) {
    Floats x = Floats::random(n, 4, 0, 30);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::exp(x[i]) - 1;
    for (std::size_t i = 0; i < n; i += 5) x[i] = 0;
    for (std::size_t i = 3; i < n; i += 7) x[i] = -std::numeric_limits<float>::infinity();
    const Floats from = x;
    k.log1p(x.data(), n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double want = std::log1p(static_cast<double>(from[i]));
      wrong += std::isfinite(from[i]) ? !close(x[i], want, 1 + want) : x[i] != from[i];
      if (from[i] == 0) wrong += x[i] != 0;
    }
    CHECK(wrong == 0);
  });
  on_every_level([](const Kernels& k) {
    Floats x(4000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.0625F;
    k.log1p(x.data(), x.size());
    CHECK(std::is_sorted(x.begin(), x.end()));
  });
}
