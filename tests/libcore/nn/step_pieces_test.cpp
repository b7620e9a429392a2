#include "libcore/nn/step_pieces.h"

#include <doctest/doctest.h>

#include "libcore/nn/dense_layer.h"
#include "libcore/nn/optimizer_rules.h"
#include "tests/libcore/nn/gradient_check.h"
#include "tests/libcore/parallel/test_ranks.h"

using namespace frugal;

namespace {

constexpr std::size_t kPieceInputs = 150, kPieceOutputs = 40, kPieceRows = 21;

/// A layer with the rows of a batch, as step_pieces() takes it.
struct LayerPieces {
  LayerPieces(Precision precision, const OptimizerOptions& optimizer, std::uint64_t data)
      : layer({kPieceInputs, kPieceOutputs}, precision),
        x(kPieceRows, kPieceInputs),
        dy(kPieceRows, kPieceOutputs) {
    layer.randomize_uniform(1, 1);
    layer.prepare_training(optimizer);
    fill(x.values(), data);
    fill(dy.values(), data + 1);
  }
  static void fill(MatrixView<float> to, std::uint64_t seed) {
    const std::vector<float> drawn = random_floats(to.rows * to.cols, seed);
    for (std::size_t r = 0; r < to.rows; ++r) {
      for (std::size_t c = 0; c < to.cols; ++c) to(r, c) = drawn[r * to.cols + c];
    }
  }

  std::size_t size() const { return layer.num_pieces(); }
  void step(std::size_t i) { layer.step_piece(i, x.with_ones(), dy.values(), kRate); }
  std::size_t gradient_size(std::size_t i) const { return layer.gradient_size(i); }
  void gradient(std::size_t i, std::span<float> to) const {
    layer.piece_gradient(i, x.with_ones(), dy.values(), to);
  }
  void apply(std::size_t i, std::span<const float> from) { layer.apply_gradient(i, from, kRate); }

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
    TwinRanks twins;
    for (int step = 0; step < 3; ++step) {
      step_pieces(at_once, nullptr);
      step_pieces(apart, &twins);
    }
    CHECK(twins.num_sums() == 3);
    CHECK(at_once.weights() != begun);
    const std::vector<float> want = at_once.weights();
    if (optimizer_rule(s.optimizer.kind).is_linear) {
      CHECK(relative_error(std::vector<double>(want.begin(), want.end()), apart.weights()) < 1e-6);
    } else {
      CHECK(apart.weights() == want);
    }
  }
}

TEST_CASE("ranks with other batches step alike, with the mean of their gradients") {
  for (const Setting& s : settings()) {
    CAPTURE(optimizer_name(s.optimizer.kind));
    std::vector<std::vector<float>> found(3);
    ThreadRanks(3).run([&](Communicator& rank) {
      const auto r = static_cast<std::uint64_t>(rank.rank());
      LayerPieces pieces(s.precision, s.optimizer, 10 * r);
      for (int step = 0; step < 2; ++step) step_pieces(pieces, &rank);
      found[r] = pieces.weights();
    });
    CHECK(found[1] == found[0]);
    CHECK(found[2] == found[0]);

    LayerPieces wanted(s.precision, s.optimizer, 0);
    for (int step = 0; step < 2; ++step) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        std::vector<float> mean(wanted.gradient_size(i)), one(mean.size());
        for (std::uint64_t r = 0; r < 3; ++r) {
          LayerPieces(s.precision, s.optimizer, 10 * r).gradient(i, one);
          for (std::size_t k = 0; k < one.size(); ++k) mean[k] += one[k] / 3;
        }
        wanted.apply(i, mean);
      }
    }
    const std::vector<float> want = wanted.weights();
    CHECK(relative_error(std::vector<double>(want.begin(), want.end()), found[0]) < 1e-3);
  }
}
