#include "libcore/nn/mlp.h"

#include <doctest/doctest.h>

#include <cstring>

#include "libcore/base/error.h"
#include "tests/libcore/nn/gradient_check.h"
#include "tests/support/worst.h"

using namespace frugal;

namespace {

constexpr std::size_t kBatchRows = 7, kInputs = 5;
const std::vector<std::size_t> kLayerSizes = {70, 34, 1};
// A power of two, so large that nothing but the gradient is left of a stepped weight.
constexpr float kRate = 0x1p30f;

/// The parameters of a layer as its tensors say: W [out, in], then b.
std::vector<double> parameters(const DenseLayer& layer) {
  Document document;
  layer.save(document, "layer");
  std::vector<double> all;
  for (const Tensor& tensor : document.tensors) {
    for (const float x : tensor.as<float>()) all.push_back(static_cast<double>(x));
  }
  return all;
}

std::vector<std::vector<double>> parameters(const Mlp& mlp) {
  std::vector<std::vector<double>> all;
  for (const DenseLayer& layer : mlp.layers()) all.push_back(parameters(layer));
  return all;
}

/// The sum of the outputs, each times its number, in plain double: d loss / d output = number.
double loss_of(const std::vector<std::vector<double>>& layers, const std::vector<double>& x) {
  double loss = 0;
  for (std::size_t r = 0; r < kBatchRows; ++r) {
    std::vector<double> units(x.begin() + r * kInputs, x.begin() + (r + 1) * kInputs);
    for (std::size_t l = 0; l < layers.size(); ++l) {
      const std::size_t in = units.size(), out = kLayerSizes[l];
      std::vector<double> next(layers[l].end() - out, layers[l].end());
      for (std::size_t o = 0; o < out; ++o) {
        for (std::size_t i = 0; i < in; ++i) next[o] += layers[l][o * in + i] * units[i];
        if (l + 1 < layers.size()) next[o] = std::max(next[o], 0.0);
      }
      units = next;
    }
    for (std::size_t o = 0; o < units.size(); ++o)
      loss += units[o] * static_cast<double>(r + o + 1);
  }
  return loss;
}

Mlp make_mlp() {
  Mlp mlp(kInputs, kLayerSizes, Mlp::Last::linear, Precision::f32);
  for (std::size_t i = 0; i < mlp.layers().size(); ++i) mlp.layers()[i].randomize(7, i);
  return mlp;
}

void prepare(Mlp& mlp, const OptimizerOptions& optimizer) {
  for (DenseLayer& layer : mlp.layers()) layer.prepare_training(optimizer);
}

/// Forward and backward in ranges of `chunk` rows.
Mlp::Batch run(const Mlp& mlp, const std::vector<float>& x, std::size_t chunk) {
  Mlp::Batch batch = mlp.make_batch(kBatchRows, Mlp::Passes::backward_to_input);
  for (std::size_t begin = 0; begin < kBatchRows; begin += chunk) {
    const std::size_t end = std::min(kBatchRows, begin + chunk);
    for (std::size_t r = begin; r < end; ++r) {
      std::copy_n(x.data() + r * kInputs, kInputs, batch.input().values().row(r));
      for (std::size_t o = 0; o < kLayerSizes.back(); ++o) {
        batch.gradients.back().values()(r, o) = static_cast<float>(r + o + 1);
      }
    }
    mlp.forward(batch, begin, end);
    mlp.backward(batch, begin, end);
  }
  return batch;
}

void step_all(Mlp& mlp, const Mlp::Batch& batch, float rate) {
  for (std::size_t l = 0; l < mlp.layers().size(); ++l) {
    for (std::size_t p = mlp.layers()[l].num_pieces(); p-- > 0;) {
      const LayerRows rows = mlp.rows_of(l, batch, kBatchRows);
      mlp.layers()[l].step_piece(p, rows.x, rows.dy, rate);
    }
  }
}

}  // namespace

TEST_CASE("a perceptron's gradients agree with central differences") {
  const std::vector<float> x = random_floats(kBatchRows * kInputs, 1);
  Mlp mlp = make_mlp();
  prepare(mlp, {OptimizerKind::sgd});
  const Mlp::Batch batch = run(mlp, x, 3);
  const std::vector<std::vector<double>> before = parameters(mlp);

  std::vector<float> dx;
  for (std::size_t r = 0; r < kBatchRows; ++r) {
    const auto row = batch.gradients.front().values().row_span(r);
    dx.insert(dx.end(), row.begin(), row.end());
  }
  CHECK(relative_error(central_differences([&](auto& v) { return loss_of(before, v); }, widened(x)),
                       dx) < 1e-5);

  step_all(mlp, batch, kRate);
  for (std::size_t l = 0; l < before.size(); ++l) {
    CAPTURE(l);
    std::vector<float> gradient;
    for (const double w : parameters(mlp.layers()[l])) {
      gradient.push_back(static_cast<float>(-w / static_cast<double>(kRate)));
    }
    auto layers = before;
    const auto loss = [&](const std::vector<double>& v) {
      layers[l] = v;
      return loss_of(layers, widened(x));
    };
    CHECK(relative_error(central_differences(loss, before[l]), gradient) < 1e-5);
  }
}

TEST_CASE("the results of a perceptron do not depend on how rows are split") {
  const std::vector<float> x = random_floats(kBatchRows * kInputs, 1);
  for (const OptimizerKind kind :
       {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
    std::vector<std::vector<std::vector<double>>> ways;
    for (const std::size_t chunk : {kBatchRows, std::size_t{1}, std::size_t{4}}) {
      Mlp mlp = make_mlp();
      prepare(mlp, {kind});
      for (int step = 0; step < 3; ++step) step_all(mlp, run(mlp, x, chunk), 0.01f);
      ways.push_back(parameters(mlp));
    }
    CHECK(ways[0] == ways[1]);
    CHECK(ways[0] == ways[2]);
  }
}

TEST_CASE("the backward pass sees stepped weights") {
  const std::vector<float> x = random_floats(kBatchRows * kInputs, 1);
  Mlp stepped = make_mlp();
  prepare(stepped, {OptimizerKind::adagrad});
  step_all(stepped, run(stepped, x, kBatchRows), 0.1f);
  Document document;
  for (std::size_t l = 0; l < kLayerSizes.size(); ++l) {
    stepped.layers()[l].save(document, std::to_string(l));
  }
  Mlp loaded = make_mlp();
  for (std::size_t l = 0; l < kLayerSizes.size(); ++l) {
    loaded.layers()[l].load(document, "f", std::to_string(l));
  }
  prepare(loaded, {OptimizerKind::adagrad});
  const Mlp::Batch a = run(stepped, x, kBatchRows), b = run(loaded, x, kBatchRows);
  for (std::size_t r = 0; r < kBatchRows; ++r) {
    CHECK(std::memcmp(a.gradients[0].values().row(r), b.gradients[0].values().row(r),
                      kInputs * sizeof(float)) == 0);
  }
}

TEST_CASE("training goes on from a saved state of the optimizer as if it had not stopped") {
  const std::vector<float> x = random_floats(kBatchRows * kInputs, 1);
  for (const OptimizerKind kind : {OptimizerKind::adagrad, OptimizerKind::adam}) {
    Mlp whole = make_mlp(), first = make_mlp(), second = make_mlp();
    for (Mlp* mlp : {&whole, &first, &second}) prepare(*mlp, {kind});
    for (int step = 0; step < 4; ++step) step_all(whole, run(whole, x, kBatchRows), 0.01f);
    for (int step = 0; step < 2; ++step) step_all(first, run(first, x, kBatchRows), 0.01f);
    Document document;
    for (std::size_t l = 0; l < kLayerSizes.size(); ++l) {
      first.layers()[l].save(document, std::to_string(l));
      first.layers()[l].save_state(document, "state." + std::to_string(l));
    }
    for (std::size_t l = 0; l < kLayerSizes.size(); ++l) {
      second.layers()[l].load(document, "f", std::to_string(l));
      second.layers()[l].load_state(document, "f", "state." + std::to_string(l));
    }
    for (int step = 0; step < 2; ++step) step_all(second, run(second, x, kBatchRows), 0.01f);
    CHECK(parameters(whole) == parameters(second));
    document.tensors.back() = Tensor::make("state.2.steps", Dtype::u64, {2});
    CHECK_THROWS_AS(second.layers()[2].load_state(document, "f", "state.2"), Error);
  }
}

TEST_CASE("a perceptron without layers hands on its input") {
  Mlp mlp(3, {}, Mlp::Last::relu, Precision::f32);
  CHECK(mlp.num_outputs() == 3);
  Mlp::Batch batch = mlp.make_batch(2, Mlp::Passes::backward);
  batch.input().values()(1, 2) = -5;
  mlp.forward(batch, 0, 2);
  mlp.backward(batch, 0, 2);
  CHECK(batch.output().values()(1, 2) == -5);
}

TEST_CASE("layers may be wider than the gradient's pieces") {
  // 130 inputs: three pieces, the last with the bias; 70 outputs: not a whole panel.
  DenseLayer layer({130, 70}, Precision::automatic);
  layer.randomize(3, 4);
  layer.prepare_training({OptimizerKind::sgd});
  REQUIRE(layer.num_pieces() == 3);
  UnitRows x(9, 130), y(9, 70), dx(9, 130);
  Rng rng(5);
  for (std::size_t r = 0; r < 9; ++r) {
    for (float& v : x.values().row_span(r)) v = static_cast<float>(rng.uniform(-1, 1));
  }
  const std::vector<double> before = parameters(layer);
  layer.forward(x.with_ones(), y.values());
  layer.backward(y.values(), dx.values());
  std::uint64_t cost = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    layer.step_piece(p, x.with_ones(), y.values(), kRate);
    cost += layer.piece_cost(p);
  }
  CHECK(cost == layer.shape().num_parameters());
  const std::vector<double> after = parameters(layer);
  double worst = 0;
  for (std::size_t o = 0; o < 70; ++o) {
    double bias = 0;
    for (std::size_t r = 0; r < 9; ++r) bias += static_cast<double>(y.values()(r, o));
    worst = worse(worst, std::abs(-after[70 * 130 + o] / static_cast<double>(kRate) - bias));
    double sum = before[70 * 130 + o];
    for (std::size_t i = 0; i < 130; ++i) {
      sum += before[o * 130 + i] * static_cast<double>(x.values()(3, i));
    }
    worst = worse(worst, std::abs(sum - static_cast<double>(y.values()(3, o))));
  }
  for (std::size_t i = 0; i < 130; ++i) {
    double sum = 0;
    for (std::size_t o = 0; o < 70; ++o) {
      sum += before[o * 130 + i] * static_cast<double>(y.values()(8, o));
    }
    worst = worse(worst, std::abs(sum - static_cast<double>(dx.values()(8, i))));
  }
  CHECK(worst < (product_precision(Precision::automatic, 130, 70) == Precision::f32 ? 1e-5 : 0.1));
}

TEST_CASE("weights begin with the variances of DLRM's reference code") {
  DenseLayer layer({200, 100}, Precision::f32);
  layer.randomize(1, 2);
  const std::vector<double> all = parameters(layer);
  double weights = 0, biases = 0;
  for (std::size_t i = 0; i < 20000; ++i) weights += all[i] * all[i] / 20000;
  for (std::size_t i = 20000; i < 20100; ++i) biases += all[i] * all[i] / 100;
  CHECK(weights == doctest::Approx(2.0 / 300).epsilon(0.05));
  CHECK(biases == doctest::Approx(1.0 / 100).epsilon(0.3));
}
