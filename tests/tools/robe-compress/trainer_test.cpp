#include "tools/robe-compress/trainer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/threading/parallel.h"
#include "tools/robe-compress/click_model.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

constexpr std::size_t kFields = 3, kNumbers = 2, kDim = 8;

/// Samples whose click depends on the rows of two fields.
class MadeBatches : public ClickBatches {
 public:
  explicit MadeBatches(std::size_t samples) : left_(samples) {}
  bool next(ClickBatch& batch, std::size_t max_size) override {
    batch.size = std::min(left_, max_size);
    left_ -= batch.size;
    batch.num_fields = kFields;
    batch.num_numbers = kNumbers;
    batch.rows.clear();
    batch.numbers.clear();
    batch.labels.clear();
    for (std::size_t i = 0; i < batch.size; ++i) {
      const auto a = static_cast<std::uint32_t>(rng_.below(300));
      const auto b = static_cast<std::uint32_t>(rng_.below(20));
      const auto c = static_cast<std::uint32_t>(rng_.below(5));
      batch.rows.insert(batch.rows.end(), {a, b, c});
      batch.numbers.push_back(static_cast<float>(rng_.uniform(-1, 1)));
      batch.numbers.push_back(number_);
      batch.labels.push_back((a + b) % 3 == 0 ? 1.0F : 0.0F);
    }
    return batch.size > 0;
  }
  void poison() { number_ = std::numeric_limits<float>::quiet_NaN(); }

 private:
  std::size_t left_;
  float number_ = 0.5F;
  Rng rng_{11};
};

struct Model {
  explicit Model(const std::string& method = "robe") {
    EmbeddingOptions options;
    options.method = method;
    options.compression = method == "full" ? 1 : 4;
    const TableSet tables({{"a", 300}, {"b", 20}, {"c", 5}}, kDim);
    embedding = make_embedding(tables, options, {});
    NetworkOptions network_options;
    network_options.bottom = {16};
    network_options.top = {32, 16};
    network = make_network(network_options, {kNumbers, kFields, kDim}, 1);
  }
  std::vector<float> answers() const {
    ClickBatch batch;
    MadeBatches(200).next(batch, 200);
    ClickPredictor predictor(*embedding, *network);
    const std::span<const float> logits = predictor.logits(batch);
    return {logits.begin(), logits.end()};
  }
  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Network> network;
};

TrainerSetup setup_of(OptimizerKind kind, std::size_t batch_size = 50) {
  TrainerSetup setup;
  setup.batch_size = batch_size;
  setup.optimizer.kind = kind;
  setup.embedding_schedule =
      setup.network_schedule = {.kind = ScheduleKind::constant, .peak = 0.05};
  return setup;
}

bool go_on() { return false; }

/// Asynchronous updates race by design, which the thread sanitizer would report.
#if defined(__SANITIZE_THREAD__)
constexpr bool kMayRace = false;
#elif defined(__has_feature)
constexpr bool kMayRace = !__has_feature(thread_sanitizer);
#else
constexpr bool kMayRace = true;
#endif

/// Restores the number of threads at the end of a test.
struct Threads {
  explicit Threads(int n) : before(num_threads()) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
  int before;
};

}  // namespace

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

TEST_CASE("training finds what clicks depend on; without waiting every batch is trained on once") {
  for (const bool asynchronous : {false, kMayRace}) {
    const Threads set(2);
    Model model;
    TrainerSetup setup = setup_of(OptimizerKind::adagrad, 100);
    setup.asynchronous = asynchronous;
    ClickTrainer trainer(*model.embedding, *model.network, setup);
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
    // How far threads get that do not wait depends on when each of them runs: no bound holds
    // always.
    if (!asynchronous) CHECK(last.loss / 5000 < 0.25);
  }
}

TEST_CASE("one thread that waits for nobody trains the bits of one that does") {
  const Threads set(1);
  std::vector<float> waiting;
  for (const bool asynchronous : {false, true}) {
    Model model;
    TrainerSetup setup = setup_of(OptimizerKind::adam);
    setup.asynchronous = asynchronous;
    ClickTrainer trainer(*model.embedding, *model.network, setup);
    MadeBatches batches(730);
    CHECK(trainer.run(batches, 100, go_on) == 15);
    if (!asynchronous) waiting = model.answers();
    CHECK(model.answers() == waiting);
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
