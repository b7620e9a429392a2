#include "tools/robe-compress/steps/trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "libcore/base/error.h"
#include "tests/tools/robe-compress/made_samples.h"

using namespace frugal;
using namespace frugal::robe;

TEST_CASE("any number of threads trains the same bits") {
  for (const char* method : {"robe", "full", "qr", "multi"}) {
    for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
      CAPTURE(method);
      std::vector<float> reference;
      for (const int threads : {1, 2, 3}) {
        const Threads set(threads);
        Model model(method);
        ClickTrainer trainer(*model.embedding, *model.network, setup_of(kind));
        MadeBatches batches(730);
        CHECK(trainer.run(batches, 100, go_on) == 15);
        CHECK(trainer.take_progress().samples == 730);
        if (threads == 1) reference = model.answers();
        CHECK(model.answers() == reference);
      }
    }
  }
}

TEST_CASE("training finds what clicks depend on") {
  const Threads set(2);
  Model model;
  ClickTrainer trainer(*model.embedding, *model.network, setup_of(OptimizerKind::adagrad, 100));
  MadeBatches batches(30'000);
  trainer.run(batches, 50, go_on);
  const ClickTrainer::Progress first = trainer.take_progress();
  trainer.run(batches, 200, go_on);
  trainer.take_progress();
  trainer.run(batches, 50, go_on);
  const ClickTrainer::Progress last = trainer.take_progress();
  CHECK(trainer.step() == 300);
  CHECK(first.samples + last.samples == 10'000);
  CHECK(first.loss / 5000 > 0.55);
  CHECK(last.loss / 5000 < 0.25);
}

TEST_CASE("rows decay by their share of a sample's loss") {
  Model model("full");
  ClickBatch batch;
  MadeBatches(20).next(batch, 20);
  constexpr float kDecay = 0.25F, kShare = 0.05F;
  model.network->prepare_training({});
  std::vector<float> by_row(model.embedding->tables().num_rows());
  for (std::size_t r = 0; r < by_row.size(); ++r) by_row[r] = 0.125F * static_cast<float>(r % 7);
  BatchPass plain(*model.embedding, *model.network, 20, {}),
      decaying(*model.embedding, *model.network, 20, {kDecay, by_row});
  for (const std::size_t begin : {0, 10}) {
    plain.run(batch, begin, begin + 10, kShare);
    decaying.run(batch, begin, begin + 10, kShare);
  }
  const MatrixView<const float> rows = plain.input(batch).embeddings;
  for (std::size_t i = 0; i < batch.size; ++i) {
    for (std::size_t j = 0; j < rows.cols; ++j) {
      const std::size_t t = j / kDim;
      const std::size_t row = model.embedding->tables().first_row(t) + batch.rows_view()(i, t);
      const float decay = kDecay + 0.125F * static_cast<float>(row % 7);
      CHECK(decaying.gradients(batch)(i, j) ==
            doctest::Approx(plain.gradients(batch)(i, j) + kShare * decay * rows(i, j)));
    }
  }
}

TEST_CASE("a run that is stopped and goes on is the run that is not") {
  Model whole, parts;
  ClickTrainer trainer(*whole.embedding, *whole.network, setup_of(OptimizerKind::adam));
  MadeBatches batches(1000);
  trainer.run(batches, 100, go_on);
  ClickTrainer stopped(*parts.embedding, *parts.network, setup_of(OptimizerKind::adam));
  MadeBatches same(1000);
  int asked = 0;
  const auto stop_at_times = [&] { return ++asked % 3 == 0; };
  std::uint64_t steps = 0;
  for (std::uint64_t n; (n = stopped.run(same, 100, stop_at_times)) > 0;) steps += n;
  CHECK(steps == 20);
  CHECK(parts.answers() == whole.answers());
}

TEST_CASE("a loss that is not finite ends the training with the step") {
  Model model;
  ClickTrainer trainer(*model.embedding, *model.network, setup_of(OptimizerKind::sgd));
  MadeBatches batches(200);
  batches.poison();
  CHECK_THROWS_WITH_AS(trainer.run(batches, 100, go_on),
                       "step 1: the loss is not finite; try a lower --learning-rate", Error);
}
