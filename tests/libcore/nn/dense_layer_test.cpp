#include "libcore/nn/dense_layer.h"

#include <doctest/doctest.h>

#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

TEST_CASE("a layer gives back the weights that it was set to") {
  for (const bool bias : {false, true}) {
    for (const std::size_t out : {1U, 5U, 40U}) {
      DenseLayer layer({7, out, bias}, Precision::f32);
      const std::vector<float> w = random_floats(7 * out, 1), b = random_floats(bias ? out : 0, 2);
      layer.set({w.data(), out, 7}, b);
      std::vector<float> weights(w.size()), biases(b.size());
      layer.get({weights.data(), out, 7}, biases);
      CHECK(weights == w);
      CHECK(biases == b);
    }
  }
}

TEST_CASE("a forward pass adds to what is there") {
  for (const std::size_t out : {1U, 40U}) {
    DenseLayer layer({7, out, false}, Precision::f32);
    layer.randomize_uniform(1, 2);
    const std::vector<float> x = random_floats(3 * 7, 3);
    std::vector<float> once(3 * out), twice(3 * out);
    layer.forward({x.data(), 3, 7}, {once.data(), 3, out});
    layer.forward({x.data(), 3, 7}, {twice.data(), 3, out});
    layer.forward({x.data(), 3, 7}, {twice.data(), 3, out}, 1);
    for (std::size_t i = 0; i < once.size(); ++i) {
      CHECK(twice[i] == doctest::Approx(2 * once[i]).epsilon(1e-6));
    }
  }
}

TEST_CASE("uniform beginnings stay within 1 / sqrt(in), glorot's have its variance") {
  DenseLayer layer({400, 100}, Precision::f32);
  std::vector<float> w(400 * 100), b(100);
  layer.randomize_uniform(5, 6);
  layer.get({w.data(), 100, 400}, b);
  for (const std::vector<float>& values : {w, b}) {
    for (const float x : values) CHECK(std::abs(x) <= 0.05F);
  }
  layer.randomize_glorot(5, 6);
  layer.get({w.data(), 100, 400}, b);
  double squares = 0;
  for (const float x : w) squares += static_cast<double>(x) * x;
  CHECK(squares / static_cast<double>(w.size()) == doctest::Approx(2.0 / 500).epsilon(0.03));
}

TEST_CASE("pieces step alike whether the outputs' gradient is packed once or by each") {
  const std::size_t in = 150, out = 70, rows = 21;
  DenseLayer one({in, out}, Precision::bf16), other({in, out}, Precision::bf16);
  if (!one.packs_gradients()) return;
  UnitRows x(rows, in), dy(rows, out);
  const std::vector<float> xs = random_floats(rows * in, 1), ds = random_floats(rows * out, 2);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < in; ++c) x.values()(r, c) = xs[r * in + c];
    for (std::size_t c = 0; c < out; ++c) dy.values()(r, c) = ds[r * out + c];
  }
  for (DenseLayer* layer : {&one, &other}) {
    layer->randomize_uniform(1, 1);
    layer->prepare_training({OptimizerKind::sgd});
  }
  PackedMatrix packed;
  packed.pack(dy.values(), Transpose::no, Precision::bf16);
  for (std::size_t p = 0; p < one.num_pieces(); ++p) {
    one.step_piece(p, x.with_ones(), dy.values(), 0.1F);
    other.step_piece(p, x.with_ones(), dy.values(), 0.1F, &packed);
  }
  std::vector<float> w(in * out), b(out), w2(in * out), b2(out);
  one.get({w.data(), out, in}, b);
  other.get({w2.data(), out, in}, b2);
  CHECK(w == w2);
  CHECK(b == b2);
}

namespace {

struct MadeRows {
  MadeRows(std::size_t rows, std::size_t in, std::size_t out, std::uint64_t seed)
      : x(rows, in), dy(rows, out) {
    fill_random(x.values(), seed);
    fill_random(dy.values(), seed + 1);
  }
  UnitRows x, dy;
};

void step(DenseLayer& layer, const MadeRows& rows) {
  for (std::size_t p = 0; p < layer.num_pieces(); ++p) {
    layer.step_piece(p, rows.x.with_ones(), rows.dy.values(), 0.01F);
  }
}

std::vector<float> weights_of(const DenseLayer& layer) {
  const DenseShape& shape = layer.shape();
  std::vector<float> all((shape.in + 1) * shape.out);
  float* bias = all.data() + shape.in * shape.out;
  layer.get({all.data(), shape.out, shape.in}, {bias, shape.out});
  return all;
}

std::vector<double> doubles(const std::vector<float>& x) { return {x.begin(), x.end()}; }

}  // namespace

TEST_CASE("a layer whose weights Adam keeps in halves steps and multiplies as one in f32") {
  const std::size_t in = 150, out = 70, rows = 21;
  OptimizerOptions optimizer{OptimizerKind::adam};
  DenseLayer whole({in, out}, Precision::f32), halves({in, out}, Precision::bf16);
  for (DenseLayer* layer : {&whole, &halves}) layer->randomize_uniform(1, 1);
  const std::vector<float> begun = weights_of(halves);
  whole.prepare_training(optimizer);
  optimizer.half_moments = true;
  halves.prepare_training(optimizer);
  CHECK(weights_of(halves) == begun);
  for (std::uint64_t s = 0; s < 5; ++s) {
    const MadeRows data(rows, in, out, 10 + 2 * s);
    step(whole, data);
    step(halves, data);
  }
  std::vector<float> moved = weights_of(halves), wanted = weights_of(whole);
  std::vector<float> y(rows * out), dx(rows * in), want_y = y, want_dx = dx;
  const MadeRows data(rows, in, out, 77);
  whole.forward(data.x.with_ones(), {want_y.data(), rows, out});
  whole.backward(data.dy.values(), {want_dx.data(), rows, in});
  halves.forward(data.x.with_ones(), {y.data(), rows, out});
  halves.backward(data.dy.values(), {dx.data(), rows, in});
  CHECK(relative_error(doubles(want_y), y) < 0.01);
  CHECK(relative_error(doubles(want_dx), dx) < 0.01);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    moved[i] -= begun[i];
    wanted[i] -= begun[i];
  }
  CHECK(relative_error(doubles(wanted), moved) < 0.05);
}

TEST_CASE("a layer in either precision goes on from what it saved to the same bits") {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    OptimizerOptions optimizer{OptimizerKind::adam};
    optimizer.half_moments = true;
    DenseLayer straight({100, 40}, precision), resumed({100, 40}, precision);
    straight.randomize_uniform(1, 1);
    straight.prepare_training(optimizer);
    resumed.prepare_training(optimizer);
    for (std::uint64_t s = 0; s < 3; ++s) step(straight, MadeRows(9, 100, 40, 10 + 2 * s));
    Document document;
    straight.save(document, "layer");
    straight.save_state(document, "state");
    resumed.load(document, "test", "layer");
    resumed.load_state(document, "test", "state");
    CHECK(weights_of(straight) == weights_of(resumed));
    const MadeRows last(9, 100, 40, 50);
    step(straight, last);
    step(resumed, last);
    CHECK(weights_of(straight) == weights_of(resumed));
  }
}

TEST_CASE("weights decay whether a piece's gradient is fused with its step or apart") {
  const std::size_t in = 150, out = 70;
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
    OptimizerOptions optimizer{kind};
    optimizer.weight_decay = 0.5F;
    DenseLayer fused({in, out}, Precision::f32), apart({in, out}, Precision::f32),
        plain({in, out}, Precision::f32);
    for (DenseLayer* layer : {&fused, &apart, &plain}) layer->randomize_uniform(1, 1);
    fused.prepare_training(optimizer);
    apart.prepare_training(optimizer);
    plain.prepare_training({kind});
    const MadeRows rows(21, in, out, 10);
    step(fused, rows);
    step(plain, rows);
    for (std::size_t p = 0; p < apart.num_pieces(); ++p) {
      std::vector<float> gradient(apart.gradient_size(p));
      apart.piece_gradient(p, rows.x.with_ones(), rows.dy.values(), gradient);
      apart.apply_gradient(p, gradient, 0.01F);
    }
    CHECK(weights_of(fused) == weights_of(apart));
    CHECK(weights_of(fused) != weights_of(plain));
  }
}
