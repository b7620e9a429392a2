#include "tools/robe-compress/steps/linear_trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/embedding/full_embedding.h"
#include "tests/tools/robe-compress/made_samples.h"
#include "tools/robe-compress/network/architecture.h"
#include "tools/robe-compress/steps/trainer.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

constexpr std::size_t kSamples = 600;

/// A linear model of MadeBatches.
struct LinearModel {
  FullEmbedding embedding{TableSet({{"a", 300}, {"b", 20}, {"c", 5}}, 1)};
  std::unique_ptr<Network> network;

  LinearModel() {
    NetworkOptions options;
    options.architecture = "linear";
    network = make_network(options, {kNumbers, kFields, 1}, 1);
  }
  void train(const TrainerSetup& setup, int sweeps) {
    const auto trainer = make_trainer(embedding, *network, setup);
    for (int i = 0; i < sweeps; ++i) {
      MadeBatches batches(kSamples);
      CHECK(trainer->run(batches, 1, go_on) == 1);
    }
  }
  std::vector<float> logits(const ClickBatch& batch) const {
    ClickPredictor predictor(embedding, *network);
    const std::span<const float> logits = predictor.logits(batch);
    return {logits.begin(), logits.end()};
  }
};

TrainerSetup linear_setup(double l2) {
  TrainerSetup setup = setup_of(OptimizerKind::sgd, kSamples);
  setup.l2 = l2;
  return setup;
}

std::string refusal(const TrainerSetup& setup) {
  LinearModel model;
  try {
    make_trainer(model.embedding, *model.network, setup);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("sweeps of a linear model end where the penalised loss has no gradient") {
  for (const double l2 : {0.5, 8.0}) {
    LinearModel model;
    model.train(linear_setup(l2), 400);
    ClickBatch batch;
    MadeBatches(kSamples).next(batch, kSamples);
    const std::vector<float> logits = model.logits(batch);
    const std::span<const float> weights = std::as_const(model.embedding.array()).values();
    std::vector<double> gradient;
    for (const float w : weights) gradient.push_back(l2 * static_cast<double>(w));
    double of_bias = 0, of_number = 0, size = 0;
    for (std::size_t i = 0; i < kSamples; ++i) {
      const double p = 1 / (1 + std::exp(-static_cast<double>(logits[i])));
      const double by_logit = p - static_cast<double>(batch.labels[i]);
      for (std::size_t t = 0; t < kFields; ++t) {
        gradient[model.embedding.tables().first_row(t) + batch.rows_view()(i, t)] += by_logit;
      }
      of_bias += by_logit;
      of_number += by_logit * static_cast<double>(batch.numbers_view()(i, 0));
    }
    for (const double g : gradient) CHECK(std::abs(g) < 4e-3);
    for (const float w : weights) size += std::abs(static_cast<double>(w));
    CHECK(size > 1);
    CHECK(std::abs(of_bias) < 4e-3);
    std::vector<float> number_weights(kNumbers), bias(1);
    model.network->layers().front().layer->get({number_weights.data(), 1, kNumbers}, bias);
    CHECK(std::abs(of_number + l2 * static_cast<double>(number_weights[0])) < 4e-3);
  }
}

TEST_CASE(
    "any number of threads sweeps to the same bits, and a run goes on with the weights alone") {
  ClickBatch batch;
  MadeBatches(200).next(batch, 200);
  std::vector<float> reference;
  for (const int threads : {1, 3}) {
    const Threads set(threads);
    LinearModel model;
    model.train(linear_setup(1), 2);
    model.train(linear_setup(1), 2);
    if (threads == 1) {
      LinearModel whole;
      whole.train(linear_setup(1), 4);
      reference = whole.logits(batch);
    }
    CHECK(model.logits(batch) == reference);
  }
}

TEST_CASE("rows that no sample has keep their weights") {
  LinearModel model;
  ClickBatch batch;
  MadeBatches(kSamples).next(batch, kSamples);
  std::vector<bool> is_there(300);
  for (std::size_t i = 0; i < kSamples; ++i) is_there[batch.rows_view()(i, 0)] = true;
  for (float& w : model.embedding.array().values()) w = 0.25F;
  model.train(linear_setup(1), 1);
  int kept = 0;
  for (std::size_t r = 0; r < 300; ++r) {
    const bool is_kept = model.embedding.array().values()[r] == 0.25F;
    CHECK(is_kept == !is_there[r]);
    kept += is_kept;
  }
  CHECK(kept > 10);
}

TEST_CASE("a linear model is refused what it has no steps for") {
  TrainerSetup setup = linear_setup(1);
  setup.joint.accumulate = 2;
  CHECK(refusal(setup).rfind("--architecture linear steps by all samples, in one process", 0) == 0);
  setup = linear_setup(1);
  setup.device = "cuda";
  CHECK(refusal(setup) == "--architecture linear has no engine for devices, expected --device cpu");
  setup.device = "auto";
  CHECK(refusal(setup).empty());
  Model blocks;
  LinearModel linear;
  CHECK_THROWS_WITH_AS(make_trainer(*blocks.embedding, *linear.network, linear_setup(1)),
                       "--architecture linear goes with tables of --method full, found robe",
                       Error);
}
