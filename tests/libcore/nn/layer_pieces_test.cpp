// Pieces of a layer, of all optimisers.
#include <doctest/doctest.h>

#include "libcore/nn/dense_layer.h"
#include "libcore/nn/optimizer_rules.h"
#include "tests/libcore/nn/gradient_check.h"

using namespace frugal;

namespace {

constexpr std::size_t kPieceInputs = 150, kPieceOutputs = 40, kPieceRows = 21;

/// A layer with the rows of a batch.
struct LayerPieces {
  LayerPieces(Precision precision, const OptimizerOptions& optimizer, std::uint64_t data)
      : layer({kPieceInputs, kPieceOutputs}, precision),
        x(kPieceRows, kPieceInputs),
        dy(kPieceRows, kPieceOutputs) {
    layer.randomize_uniform(1, 1);
    layer.prepare_training(optimizer);
    fill_random(x.values(), data);
    fill_random(dy.values(), data + 1);
  }

  void step_at_once() {
    for (std::size_t i = 0; i < layer.num_pieces(); ++i) {
      layer.step_piece(i, x.with_ones(), dy.values(), kRate);
    }
  }
  void step_apart() {
    for (std::size_t i = 0; i < layer.num_pieces(); ++i) {
      std::vector<float> gradient(layer.gradient_size(i));
      layer.piece_gradient(i, x.with_ones(), dy.values(), gradient);
      layer.apply_gradient(i, gradient, kRate);
    }
  }

  std::vector<float> weights() const {
    std::vector<float> all(kPieceInputs * kPieceOutputs), bias(kPieceOutputs);
    layer.get({all.data(), kPieceOutputs, kPieceInputs}, bias);
    all.insert(all.end(), bias.begin(), bias.end());
    return all;
  }

  static constexpr float kRate = 0.01F;
  DenseLayer layer;
  UnitRows x, dy;
};

struct Setting {
  Precision precision;
  OptimizerOptions optimizer;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const std::string& name : optimizer_names()) {
    for (const Precision precision : {Precision::f32, Precision::bf16}) {
      all.push_back({precision, {.kind = optimizer_from_name(name)}});
    }
  }
  all.push_back({Precision::bf16, {.kind = OptimizerKind::adam, .half_moments = true}});
  return all;
}

}  // namespace

TEST_CASE("gradients apart from updates give the bits of a step at once") {
  for (const Setting& s : settings()) {
    CAPTURE(optimizer_name(s.optimizer.kind));
    LayerPieces at_once(s.precision, s.optimizer, 5), apart(s.precision, s.optimizer, 5);
    const std::vector<float> begun = at_once.weights();
    for (int step = 0; step < 3; ++step) {
      at_once.step_at_once();
      apart.step_apart();
    }
    CHECK(at_once.weights() != begun);
    const std::vector<float> want = at_once.weights();
    if (optimizer_rule(s.optimizer.kind).is_linear) {
      CHECK(relative_error(std::vector<double>(want.begin(), want.end()), apart.weights()) < 1e-6);
    } else {
      CHECK(apart.weights() == want);
    }
  }
}
