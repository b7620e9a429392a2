// Steps of several mini-batches against steps of one, and as ranks that share them.
#include "tools/robe-compress/steps/joint_trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "libcore/base/error.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tests/tools/robe-compress/made_samples.h"
#include "tools/robe-compress/steps/trainer.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

struct Trained {
  std::vector<float> answers;
  double loss = 0;
  std::uint64_t steps = 0, samples = 0, bytes = 0;
};

/// 730 samples in mini-batches of 50: steps of 4 have 200 samples, the last one 130 in three.
Trained train(Communicator* ranks, const std::string& method, TrainerSetup setup) {
  setup.ranks = ranks;
  Model model(method);
  const auto trainer = make_trainer(*model.embedding, *model.network, setup);
  MadeBatches batches(730);
  Trained trained;
  trained.steps = trainer->run(batches, 100, go_on);
  const BatchTrainer::Progress progress = trainer->take_progress();
  trainer->bring_together();
  trained.answers = model.answers();
  trained.loss = progress.loss;
  trained.samples = progress.samples;
  if (ranks != nullptr) trained.bytes = ranks->bytes_sent();
  return trained;
}

TrainerSetup joint_setup(OptimizerKind kind, ArrayExchange exchange, WireType wire) {
  TrainerSetup setup = setup_of(kind);
  setup.joint = {.accumulate = 4, .exchange = exchange, .wire = wire};
  setup.optimizer.sums_blocks = true;
  return setup;
}

}  // namespace

TEST_CASE("1, 2 and 4 ranks train the same bits") {
  const Threads one(1);
  for (const char* method : {"robe", "full", "qr", "multi"}) {
    for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
      for (const auto exchange : {ArrayExchange::owner, ArrayExchange::reduce}) {
        CAPTURE(method);
        const TrainerSetup setup = joint_setup(kind, exchange, WireType::f32);
        const Trained alone = train(nullptr, method, setup);
        CHECK(alone.steps == 4);
        CHECK(alone.samples == 730);
        for (const int n : {2, 4}) {
          ThreadRanks(n).run([&](Communicator& rank) {
            const Trained one_of_all = train(&rank, method, setup);
            CHECK(one_of_all.answers == alone.answers);
            CHECK(one_of_all.loss == alone.loss);
          });
        }
      }
    }
  }
}

TEST_CASE("a step of several mini-batches is that of one with all their samples") {
  for (const auto exchange : {ArrayExchange::owner, ArrayExchange::reduce}) {
    const TrainerSetup joint = joint_setup(OptimizerKind::adam, exchange, WireType::f32);
    TrainerSetup whole = joint;
    whole.batch_size = 200;
    whole.joint.accumulate = 1;
    const Trained several = train(nullptr, "robe", joint), one = train(nullptr, "robe", whole);
    REQUIRE(several.answers.size() == one.answers.size());
    for (std::size_t i = 0; i < one.answers.size(); ++i) {
      CHECK(several.answers[i] == doctest::Approx(one.answers[i]).epsilon(1e-3));
    }
    CHECK(several.loss == doctest::Approx(one.loss).epsilon(1e-5));
  }
}

TEST_CASE("gradients in bf16 are near, the same for all ranks, and half of the bytes") {
  const Threads one(1);
  const TrainerSetup exact = joint_setup(OptimizerKind::adam, ArrayExchange::owner, WireType::f32);
  TrainerSetup rounded = exact;
  rounded.joint.wire = WireType::bf16;
  const Trained alone = train(nullptr, "robe", rounded);
  const Trained reference = train(nullptr, "robe", exact);
  CHECK(alone.answers != reference.answers);
  CHECK(alone.loss == doctest::Approx(reference.loss).epsilon(0.01));
  ThreadRanks(2).run([&](Communicator& rank) {
    const Trained half = train(&rank, "robe", rounded);
    CHECK(half.answers == alone.answers);
    const std::uint64_t before = rank.bytes_sent();
    const std::uint64_t whole = train(&rank, "robe", exact).bytes - before;
    // The array has one page, which is the first rank's: the other one sends gradients.
    if (rank.rank() == 1) CHECK(half.bytes < whole);
  });
}

TEST_CASE("steps of several mini-batches are refused where there is no way to make them") {
  TrainerSetup setup = joint_setup(OptimizerKind::adam, ArrayExchange::automatic, WireType::f32);
  setup.device = "cuda";
  CHECK_THROWS_WITH_AS(train(nullptr, "robe", setup),
                       "--device cuda has no engine for --accumulate: use --device cpu", Error);
}
