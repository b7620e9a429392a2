#include "libcore/nn/split_weights.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

OptimizerOptions adam() {
  OptimizerOptions options;
  options.kind = OptimizerKind::adam;
  options.corrected_epsilon = true;
  return options;
}

/// Steps all rows in two parts, as two threads would.
void step(SplitWeights& weights, std::vector<float>& gradient, std::size_t cols) {
  const std::size_t rows = gradient.size() / cols;
  weights.step_rows(0, {gradient.data(), 32, cols}, 0.01F, adam());
  weights.step_rows(32, {gradient.data() + 32 * cols, rows - 32, cols}, 0.01F, adam());
}

std::vector<float> values(const SplitWeights& weights) {
  std::vector<float> all(weights.high().k() * weights.high().n());
  weights.get({all.data(), weights.high().k(), weights.high().n()});
  return all;
}

}  // namespace

TEST_CASE("split weights give back every bit") {
  const std::size_t rows = 45, cols = 37;
  std::vector<float> w = random_floats(rows * cols, 1);
  w[0] = 0.0F;
  w[1] = -0.0F;
  w[2] = std::numeric_limits<float>::max();
  w[3] = std::numeric_limits<float>::denorm_min();
  w[4] = std::numeric_limits<float>::infinity();
  w[5] = std::nextafter(-1.00390625F, 0.0F);  // just below half a unit of a bf16
  const SplitWeights split({w.data(), rows, cols});
  const std::vector<float> got = values(split);
  CHECK(std::memcmp(got.data(), w.data(), w.size() * sizeof(float)) == 0);
}

TEST_CASE("split weights are those that packing rounds, ties too") {
  const std::size_t rows = 64, cols = 32, n = rows * cols;
  std::vector<float> w = random_floats(n, 1);
  w[0] = 1.00390625F;   // half way, to even: 1
  w[1] = -1.01171875F;  // half way, to even: -1.015625
  SplitWeights split({w.data(), rows, cols});
  const auto check_packed = [&] {
    const std::vector<float> got = values(split);
    PackedMatrix packed;
    packed.pack({got.data(), rows, cols}, Transpose::no, Precision::bf16);
    const auto want = packed.halves();
    const auto have = split.high().halves();
    REQUIRE(want.size() == have.size());
    CHECK(std::memcmp(want.data(), have.data(), want.size() * sizeof(BFloat16)) == 0);
  };
  check_packed();
  CHECK(values(split)[0] == std::nextafter(1.00390625F, 2.0F));
  CHECK(values(split)[1] == std::nextafter(-1.01171875F, -2.0F));
  std::vector<float> gradient(n);
  for (int s = 0; s < 200; ++s) {
    for (std::size_t i = 0; i < n; ++i) gradient[i] = static_cast<float>((i * 7 + 13) % 31) - 15;
    step(split, gradient, cols);
    check_packed();
  }
}

TEST_CASE("products read split weights rounded") {
  const std::size_t rows = 45, cols = 37;
  const std::vector<float> w = random_floats(rows * cols, 1);
  const SplitWeights split({w.data(), rows, cols});
  std::vector<float> identity(rows * rows), products(rows * cols);
  for (std::size_t r = 0; r < rows; ++r) identity[r * rows + r] = 1;
  gemm_packed({identity.data(), rows, rows}, split.high(), {products.data(), rows, cols});
  for (std::size_t i = 0; i < w.size(); ++i) {
    CHECK(products[i] == doctest::Approx(w[i]).epsilon(1.0 / 256));
  }
}

TEST_CASE("split weights go where Adam's f32 goes") {
  const std::size_t rows = 70, cols = 20, n = rows * cols;
  const std::vector<float> begun = random_floats(n, 1);
  std::vector<float> whole = begun;
  SplitWeights split({begun.data(), rows, cols});
  DenseOptimizer optimizer(adam(), n);
  for (std::uint64_t s = 1; s <= 400; ++s) {
    std::vector<float> gradient = random_floats(n, 100 + s);
    for (float& g : gradient) g = 0.5F + 0.1F * g;
    optimizer.step(whole, gradient, 0.01F);
    step(split, gradient, cols);
  }
  const std::vector<float> got = values(split);
  for (std::size_t i = 0; i < n; ++i) {
    CHECK((got[i] - begun[i]) == doctest::Approx(whole[i] - begun[i]).epsilon(0.03));
  }
}

TEST_CASE("split weights go on from their saved state to the same bits") {
  const std::size_t rows = 50, cols = 33, n = rows * cols;
  const std::vector<float> begun = random_floats(n, 1);
  SplitWeights straight({begun.data(), rows, cols});
  for (std::uint64_t s = 0; s < 3; ++s) {
    std::vector<float> gradient = random_floats(n, 10 + s);
    step(straight, gradient, cols);
  }
  Document document;
  straight.save_state(document, "w");
  const std::vector<float> halfway = values(straight);
  SplitWeights resumed({halfway.data(), rows, cols});
  resumed.load_state(document, "test", "w");
  std::vector<float> gradient = random_floats(n, 20);
  step(straight, gradient, cols);
  step(resumed, gradient, cols);
  CHECK(values(straight) == values(resumed));
  SplitWeights other({begun.data(), rows, cols - 1});
  CHECK_THROWS(other.load_state(document, "test", "w"));
}
