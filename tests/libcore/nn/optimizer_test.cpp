#include "libcore/nn/optimizer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "libcore/kernels/kernels.h"
#include "libcore/nn/optimizer_rules.h"
#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

TEST_CASE("dense optimisers agree with their formulas in double") {
  const std::size_t n = 37;
  const double rate = 0.05, epsilon = 1e-8, beta1 = 0.9, beta2 = 0.999;
  for (const OptimizerKind kind :
       {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    CAPTURE(optimizer_name(kind));
    std::vector<float> w = random_floats(n, 1);
    std::vector<double> expected = widened(w), first(n), second(n);
    DenseOptimizer optimizer({kind}, n);
    for (int step = 1; step <= 5; ++step) {
      const std::vector<float> g = random_floats(n, 100 + static_cast<std::uint64_t>(step));
      optimizer.step(w, g, static_cast<float>(rate));
      for (std::size_t i = 0; i < n; ++i) {
        const double x = g[i];
        if (kind == OptimizerKind::sgd) {
          expected[i] -= rate * x;
        } else if (kind == OptimizerKind::adagrad) {
          second[i] += x * x;
          expected[i] -= rate * x / (std::sqrt(second[i]) + epsilon);
        } else {
          first[i] = beta1 * first[i] + (1 - beta1) * x;
          second[i] = beta2 * second[i] + (1 - beta2) * x * x;
          expected[i] -= rate * (first[i] / (1 - std::pow(beta1, step))) /
                         (std::sqrt(second[i] / (1 - std::pow(beta2, step))) + epsilon);
        }
      }
    }
    CHECK(relative_error(expected, w) < 1e-6);
    CHECK(optimizer.steps() == 5);
  }
}

TEST_CASE("a corrected epsilon is that of Adam's algorithm also where gradients are tiny") {
  const std::size_t n = 5;
  const double rate = 0.05, epsilon = 1e-8, beta1 = 0.9, beta2 = 0.999;
  std::vector<float> w = random_floats(n, 1);
  std::vector<double> expected = widened(w), first(n), second(n);
  OptimizerOptions options;
  options.kind = OptimizerKind::adam;
  options.corrected_epsilon = true;
  DenseOptimizer optimizer(options, n);
  for (int step = 1; step <= 5; ++step) {
    std::vector<float> g = random_floats(n, 100 + static_cast<std::uint64_t>(step));
    for (float& x : g) x *= 1e-8F;
    optimizer.step(w, g, static_cast<float>(rate));
    for (std::size_t i = 0; i < n; ++i) {
      const double x = g[i];
      first[i] = beta1 * first[i] + (1 - beta1) * x;
      second[i] = beta2 * second[i] + (1 - beta2) * x * x;
      expected[i] -= rate * (first[i] / (1 - std::pow(beta1, step))) /
                     (std::sqrt(second[i] / (1 - std::pow(beta2, step))) + epsilon);
    }
  }
  CHECK(relative_error(expected, w) < 1e-6);
}

TEST_CASE("an optimiser goes on from its saved state to the same bits") {
  const std::size_t n = 20;
  for (const OptimizerKind kind : {OptimizerKind::adagrad, OptimizerKind::adam}) {
    std::vector<float> w = random_floats(n, 1);
    DenseOptimizer straight({kind}, n);
    straight.step(w, random_floats(n, 2), 0.1F);
    std::vector<float> copy = w;
    DenseOptimizer resumed({kind}, n);
    std::copy(straight.state().begin(), straight.state().end(), resumed.state().begin());
    resumed.set_steps(straight.steps());
    straight.step(w, random_floats(n, 3), 0.1F);
    resumed.step(copy, random_floats(n, 3), 0.1F);
    CHECK(w == copy);
  }
}

TEST_CASE("row-wise Adagrad keeps the mean square of a row's gradients") {
  const std::size_t dim = 15;
  RowTable table(3, dim, row_state_size(OptimizerKind::adagrad, dim));
  CHECK(table.stride() == 16);  // weights and state are one cache line
  const std::vector<float> g = random_floats(dim, 4);
  double mean_square = 0;
  for (const float x : g) mean_square += static_cast<double>(x) * static_cast<double>(x) / dim;
  step_row(table, 1, g.data(), 0.1F, {OptimizerKind::adagrad});
  step_row(table, 1, g.data(), 0.1F, {OptimizerKind::adagrad});
  CHECK(*table.state(1) == doctest::Approx(2 * mean_square));
  const double both = 0.1 * (1 / std::sqrt(mean_square) + 1 / std::sqrt(2 * mean_square));
  for (std::size_t i = 0; i < dim; ++i)
    CHECK(table.row(1)[i] == doctest::Approx(-both * g[i]).epsilon(1e-5));
  for (std::size_t i = 0; i < 16; ++i) CHECK(table.row(0)[i] == 0);
}

TEST_CASE("Adam by rows corrects by the steps of the run") {
  const std::size_t dim = 6;
  const OptimizerOptions adam{OptimizerKind::adam};
  RowTable table(2, dim, row_state_size(OptimizerKind::adam, dim));
  DenseOptimizer dense(adam, dim);
  std::vector<float> w(dim);
  std::vector<float> g;
  for (std::uint64_t step = 1; step <= 50; ++step) {
    g = random_floats(dim, step);
    dense.step(w, g, 0.1F);
    step_row(table, 0, g.data(), 0.1F * rate_factor(adam, step), adam);
  }
  step_row(table, 1, g.data(), 0.1F * rate_factor(adam, 50), adam);
  // The moments of a first step are a tenth of the gradient and a thousandth of its square.
  const double second = 1 - std::pow(0.999, 50), first = 1 - std::pow(0.9, 50);
  const double move = 0.1 * 0.1 / first / std::sqrt(0.001 / second);
  for (std::size_t i = 0; i < dim; ++i) {
    CHECK(table.row(0)[i] == w[i]);
    CHECK(table.row(1)[i] == doctest::Approx(g[i] > 0 ? -move : move).epsilon(1e-4));
  }
  CHECK(rate_factor({OptimizerKind::adagrad}, 1) == 1);
}

TEST_CASE("a bias in the last column is stepped as a parameter of its own") {
  for (const OptimizerKind kind :
       {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    const std::size_t dim = 8;
    const std::size_t states = kind == OptimizerKind::sgd       ? 0
                               : kind == OptimizerKind::adagrad ? 2
                                                                : 16;
    CHECK(biased_row_state_size(kind, dim) == states);
    RowTable together(1, dim, biased_row_state_size(kind, dim));
    RowTable weights(1, dim - 1, row_state_size(kind, dim - 1)),
        bias(1, 1, row_state_size(kind, 1));
    for (std::uint64_t step = 0; step < 3; ++step) {
      std::vector<float> g = random_floats(dim, 50 + step);
      g[dim - 1] *= 100;
      step_biased_row(together, 0, g.data(), 0.1F, {kind});
      step_row(weights, 0, g.data(), 0.1F, {kind});
      step_row(bias, 0, g.data() + dim - 1, 0.1F, {kind});
    }
    for (std::size_t i = 0; i + 1 < dim; ++i) CHECK(together.row(0)[i] == weights.row(0)[i]);
    CHECK(together.row(0)[dim - 1] == bias.row(0)[0]);
  }
}

TEST_CASE("steps much smaller than the last place of a bf16 add up, and the bias loses none") {
  constexpr std::size_t kDim = 33;
  constexpr std::uint32_t kSteps = 4000;
  RowTable table(1, kDim, 0, kDim - 1);
  std::vector<float> row(kDim, 1);
  table.write(0, row.data(), 0);
  const std::vector<float> g(kDim, -1);
  const float rate = 1.0F / 128 / 200;  // the two hundredth part of the last place
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    step_biased_row(table, 0, g.data(), rate, {OptimizerKind::sgd}, step);
  }
  table.read(0, row.data());
  double mean = 0;
  for (std::size_t i = 0; i + 1 < kDim; ++i) mean += static_cast<double>(row[i]) / (kDim - 1);
  CHECK(mean == doctest::Approx(1 + kSteps * static_cast<double>(rate)).epsilon(0.01));
  CHECK(row[kDim - 1] == doctest::Approx(1 + kSteps * static_cast<double>(rate)).epsilon(1e-4));
}

TEST_CASE("every set of kernels has the optimisers of the table, in its order") {
  const std::vector<std::string> names = optimizer_names();
  for (const SimdLevel level : available_simd_levels()) {
    const OptimizerKernels* kernels = kernels_for(level)->optimizers;
    for (std::size_t i = 0; i < names.size(); ++i) CHECK(kernels[i].name == names[i]);
  }
}

TEST_CASE("names of optimisers are understood and others refused") {
  CHECK(optimizer_from_name("adam") == OptimizerKind::adam);
  CHECK_THROWS_WITH(optimizer_from_name("momentum"),
                    "unknown optimizer 'momentum', expected sgd, adagrad, adam");
}

TEST_CASE("a step with weight decay is one of gradients with that share of the parameters") {
  const std::size_t dim = 19;
  for (const OptimizerKind kind :
       {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    CAPTURE(optimizer_name(kind));
    OptimizerOptions decaying{kind};
    decaying.weight_decay = 0.5F;
    const std::vector<float> begin = random_floats(dim, 1), g = random_floats(dim, 2);
    std::vector<float> whole = g, w = begin, wanted = begin;
    for (std::size_t i = 0; i < dim; ++i) whole[i] = std::fma(0.5F, begin[i], g[i]);
    DenseOptimizer(decaying, dim).step(w, g, 0.1F);
    DenseOptimizer({kind}, dim).step(wanted, whole, 0.1F);
    CHECK(relative_error(widened(wanted), w) < 1e-6);

    RowTable rows(2, dim, row_state_size(kind, dim)),
        biased(2, dim, biased_row_state_size(kind, dim));
    for (RowTable* table : {&rows, &biased}) {
      for (std::size_t r = 0; r < 2; ++r) std::copy(begin.begin(), begin.end(), table->row(r));
    }
    step_row(rows, 0, g.data(), 0.1F, decaying);
    step_row(rows, 1, whole.data(), 0.1F, {kind});
    step_biased_row(biased, 0, g.data(), 0.1F, decaying);
    step_biased_row(biased, 1, whole.data(), 0.1F, {kind});
    for (const RowTable* table : {&rows, &biased}) {
      const std::span<const float> got(table->row(0), dim), want(table->row(1), dim);
      CHECK(relative_error(widened(want), got) < 1e-6);
    }
  }
}
