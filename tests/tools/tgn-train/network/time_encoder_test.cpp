#include "tools/tgn-train/network/time_encoder.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

plain::Tensors tensors_of(const TimeEncoder& encoder) {
  Document document;
  encoder.save(document, "w");
  return plain::tensors_of(document);
}

/// With other parameters than those it begins with.
TimeEncoder make_encoder(std::size_t dim, bool trained) {
  TimeEncoder encoder(dim, trained);
  Document document;
  encoder.save(document, "w");
  Rng rng(4);
  for (Tensor& tensor : document.tensors) {
    for (float& x : tensor.as<float>()) x += static_cast<float>(rng.uniform(-0.3, 0.3));
  }
  encoder.load(document, "file", "w");
  encoder.visit_parameters(prepare_each({.kind = OptimizerKind::sgd}), "time");
  return encoder;
}

void step(TimeEncoder& encoder, float rate) {
  ParameterSteps steps;
  encoder.leave_steps(steps);
  steps.take(rate);
}

}  // namespace

TEST_CASE("frequencies begin at 1 and end at 1e-9") {
  const plain::Tensors t = tensors_of(TimeEncoder(172, true));
  for (std::size_t j = 0; j < 172; ++j) {
    const double want = 1 / std::pow(10, 9 * static_cast<double>(j) / 171);
    CHECK(t.at("w.weight")[j] == doctest::Approx(want).epsilon(1e-6));
    CHECK(t.at("w.bias")[j] == 0);
  }
}

TEST_CASE("encodings are exact for long times") {
  const TimeEncoder encoder = make_encoder(19, true);
  const plain::Tensors t = tensors_of(encoder);
  const std::vector<double> dt = {0, 0.25, 1, 17, 2678373, 1e9 + 1};
  std::vector<float> out(dt.size() * 19);
  encoder.encode(dt, {out.data(), dt.size(), 19});
  for (std::size_t i = 0; i < dt.size(); ++i) {
    for (std::size_t j = 0; j < 19; ++j) {
      const double want = std::cos(t.at("w.weight")[j] * dt[i] + t.at("w.bias")[j]);
      CHECK(std::abs(static_cast<double>(out[i * 19 + j]) - want) < 1e-6);
    }
  }
}

TEST_CASE("gradients add up until the step, those at time 0 with them") {
  for (const bool trained : {true, false}) {
    TimeEncoder encoder = make_encoder(5, trained);
    const plain::Tensors before = tensors_of(encoder);
    const std::vector<double> dt = {3, 0.5, 11};
    std::vector<float> dout;
    for (int i = 0; i < 15; ++i) dout.push_back(static_cast<float>(std::cos(i)));
    const std::vector<float> at_zero = {0.5F, -1, 2, 0.25F, 3};
    encoder.add_gradient(dt, {dout.data(), 3, 5});
    encoder.add_gradient(dt, {dout.data(), 3, 5});
    encoder.add_gradient_at_zero(at_zero);
    step(encoder, 0.5F);
    const plain::Tensors after = tensors_of(encoder);
    step(encoder, 0.5F);  // nothing is left
    CHECK(tensors_of(encoder) == after);
    for (std::size_t j = 0; j < 5; ++j) {
      const double w = before.at("w.weight")[j], b = before.at("w.bias")[j];
      double by_b = -std::sin(b) * static_cast<double>(at_zero[j]), by_w = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double g = -2 * std::sin(w * dt[i] + b) * static_cast<double>(dout[i * 5 + j]);
        by_b += g;
        by_w += g * dt[i];
      }
      if (!trained) by_b = by_w = 0;
      CHECK(after.at("w.weight")[j] == doctest::Approx(w - 0.5 * by_w).epsilon(1e-6));
      CHECK(after.at("w.bias")[j] == doctest::Approx(b - 0.5 * by_b).epsilon(1e-6));
    }
  }
}
