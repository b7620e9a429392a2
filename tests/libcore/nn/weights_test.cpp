#include "libcore/nn/weights.h"

#include <doctest/doctest.h>

#include "libcore/base/error.h"
#include "libcore/kernels/kernels.h"
#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

constexpr std::size_t kWeightInputs = 70, kWeightOutputs = 5, kNumRows = 9;

/// Rows that are readable beyond their columns, as add_gradient() wants them.
struct PaddedRows {
  PaddedRows(std::size_t rows, std::size_t cols, std::uint64_t seed)
      : stride(in_place_stride(cols)), memory(random_floats(rows * stride, seed)), cols(cols) {}
  MatrixView<const float> view() const {
    return {memory.data(), memory.size() / stride, cols, stride};
  }
  std::size_t stride;
  std::vector<float> memory;
  std::size_t cols;
};

void step_all(Weights& weights, float rate) {
  for (std::size_t p = 0; p < weights.num_pieces(); ++p) weights.step_piece(p, rate);
  weights.finish_step();
}

}  // namespace

TEST_CASE("a step of weights takes the gradients of all groups and the decay") {
  Weights weights(kWeightInputs, kWeightOutputs);
  weights.randomize(1, 3, 0);
  weights.prepare_training({.kind = OptimizerKind::sgd}, 0.5F);
  const PaddedRows x(kNumRows, kWeightInputs, 1), dy(kNumRows, kWeightOutputs, 2);
  std::vector<double> want;
  for (std::size_t i = 0; i < kWeightInputs; ++i) {
    for (std::size_t o = 0; o < kWeightOutputs; ++o) {
      double gradient = 0.5 * static_cast<double>(weights.values()(i, o));
      for (std::size_t r = 0; r < kNumRows; ++r) {
        gradient += static_cast<double>(x.view()(r, i)) * static_cast<double>(dy.view()(r, o));
      }
      want.push_back(static_cast<double>(weights.values()(i, o)) - 0.1 * gradient);
    }
  }
  weights.add_gradient(7, x.view().rows_between(0, 4), dy.view().rows_between(0, 4));
  weights.add_gradient(2, x.view().rows_between(4, 6), dy.view().rows_between(4, 6));
  weights.add_gradient(7, x.view().rows_between(6, 9), dy.view().rows_between(6, 9));
  step_all(weights, 0.1F);
  std::vector<float> got;
  for (std::size_t i = 0; i < kWeightInputs; ++i) {
    for (const float w : weights.values().row_span(i)) got.push_back(w);
  }
  CHECK(relative_error(want, got) < 1e-6);
  CHECK(relative_error(std::vector<double>(kWeightInputs * kWeightOutputs),
                       weights.total_gradient()) == 0);

  // The packed copy has moved with them.
  std::vector<float> dx(kNumRows * kWeightInputs);
  weights.multiply_transposed(dy.view(), {dx.data(), kNumRows, kWeightInputs});
  std::vector<double> want_dx;
  for (std::size_t r = 0; r < kNumRows; ++r) {
    for (std::size_t i = 0; i < kWeightInputs; ++i) {
      double sum = 0;
      for (std::size_t o = 0; o < kWeightOutputs; ++o) {
        sum += want[i * kWeightOutputs + o] * static_cast<double>(dy.view()(r, o));
      }
      want_dx.push_back(sum);
    }
  }
  CHECK(relative_error(want_dx, dx) < 1e-6);
}

TEST_CASE("weights with products in bf16 are close to those in f32") {
  const char* before = kernels().name;
  for (const SimdLevel level : available_simd_levels()) {
    const std::string name = kernels_for(level)->name;
    set_simd(name.c_str());
    CAPTURE(name);
    const std::size_t in = 97, out = 70, rows = 33;
    const PaddedRows x(rows, in, 1), dy(rows, out, 2);
    const auto results = [&](Precision precision) {
      Weights weights(in, out, precision);
      weights.randomize(1, 3, 0);
      weights.prepare_training({.kind = OptimizerKind::sgd}, 0);
      weights.add_gradient(1, x.view().rows_between(0, 20), dy.view().rows_between(0, 20));
      weights.add_gradient(1, x.view().rows_between(20, 32), dy.view().rows_between(20, 32));
      weights.add_gradient(2, x.view().rows_between(32, 33), dy.view().rows_between(32, 33));
      step_all(weights, 0.1F);
      std::vector<float> all(rows * (out + in));
      weights.multiply(x.view(), {all.data(), rows, out});
      weights.multiply_transposed(dy.view(), {all.data() + rows * out, rows, in});
      return all;
    };
    const std::vector<float> f32 = results(Precision::f32);
    const std::vector<double> want(f32.begin(), f32.end());
    const double error = relative_error(want, results(Precision::bf16));
    CHECK(error < 0.01);
    CHECK(error > 0);
    CHECK(results(Precision::automatic) ==
          results(product_precision(Precision::automatic, in, out)));
  }
  set_simd(before);
}

TEST_CASE("parts of weights are saved as matrices of outputs by inputs") {
  Weights weights(4, 2), other(4, 2);
  weights.randomize(1, 5, 0);
  Document document;
  weights.save(document, "lower", {2, 1}, 3);
  weights.save(document, "upper", {2, 3}, 0);
  CHECK(document.at("upper").as<float>()[3] == weights.values()(0, 1));
  CHECK(document.at("lower").as<float>()[0] == weights.values()(3, 0));
  other.load(document, "file", "lower", {2, 1}, 3);
  other.load(document, "file", "upper", {2, 3}, 0);
  for (std::size_t i = 0; i < 4; ++i) CHECK(other.values()(i, 1) == weights.values()(i, 1));
  CHECK_THROWS_AS(other.load(document, "file", "upper", {2, 4}), Error);
  CHECK_THROWS_AS(other.load(document, "file", "middle", {2, 1}), Error);
}
