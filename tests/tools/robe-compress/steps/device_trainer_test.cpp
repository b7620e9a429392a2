// Training and answers on a device against the CPU's: on the plug-in whose CUDA kernels run here.
#include "tools/robe-compress/steps/device_trainer.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/rng.h"
#include "libcore/embedding/array_embedding.h"
#include "libcore/embedding/embedding_methods.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/clock.h"
#include "tests/support/sanitized.h"
#include "tests/support/worst.h"
#include "tools/robe-compress/steps/trainer.h"

using namespace frugal;
using namespace frugal::robe;

namespace {

constexpr std::size_t kOurFields = 3, kOurNumbers = 2, kOurDim = 8, kOurBatch = 40;
constexpr std::size_t kSteps = kSanitized ? 3 : 20;

/// Batches of random samples, always the same; the last one is shorter.
class RandomBatches : public ClickBatches {
 public:
  explicit RandomBatches(std::size_t samples) : left_(samples) {}
  bool next(ClickBatch& batch, std::size_t max_size) override {
    batch.size = std::min(left_, max_size);
    left_ -= batch.size;
    batch.num_fields = kOurFields;
    batch.num_numbers = kOurNumbers;
    batch.rows.clear();
    batch.numbers.clear();
    batch.labels.clear();
    for (std::size_t i = 0; i < batch.size; ++i) {
      for (const std::uint64_t rows : {300, 20, 5}) {
        batch.rows.push_back(static_cast<std::uint32_t>(rng_.below(rows)));
      }
      for (std::size_t k = 0; k < kOurNumbers; ++k) {
        batch.numbers.push_back(static_cast<float>(rng_.uniform(-1, 1)));
      }
      batch.labels.push_back(batch.rows[3 * i] % 3 == 0 ? 1.0F : 0.0F);
    }
    return batch.size > 0;
  }

 private:
  std::size_t left_;
  Rng rng_{17};
};

struct Parts {
  Parts(const std::string& method, const std::string& architecture, Storage storage,
        std::size_t rank = 0, std::size_t dim = kOurDim) {
    EmbeddingOptions options;
    options.method = method;
    options.compression = method == "full" ? 1 : 4;
    options.hash.block = 4;
    options.hash.sign = method == "robe";
    options.storage = storage;
    const TableSet tables({{"a", 300}, {"b", 20}, {"c", 5}}, dim);
    RowCounts counts;
    for (const TableShape& table : tables.tables()) {
      counts.emplace_back();
      for (std::uint64_t x = 0; x < table.rows; ++x) {
        counts.back().push_back(static_cast<std::uint32_t>(x == 0 ? 0 : 1000 / x));
      }
    }
    embedding = make_embedding(tables, options, counts);
    NetworkOptions network_options;
    network_options.architecture = architecture;
    network_options.bottom = {16};
    network_options.top = {32, 16};
    network_options.diagonal = rank != 0;
    network_options.cross_rank = rank;
    network = make_network(network_options, {kOurNumbers, kOurFields, dim}, 1);
  }
  std::vector<float> answers() const {
    ClickBatch batch;
    RandomBatches(100).next(batch, 100);
    ClickPredictor predictor(*embedding, *network);
    const auto logits = predictor.logits(batch);
    return {logits.begin(), logits.end()};
  }

  std::unique_ptr<Embedding> embedding;
  std::unique_ptr<Network> network;
};

TrainerSetup device_setup(const std::string& device, OptimizerKind kind) {
  TrainerSetup setup;
  setup.batch_size = kOurBatch;
  setup.optimizer.kind = kind;
  setup.weight_decay = kind == OptimizerKind::adam ? 0.02F : 0;
  setup.embedding_schedule =
      setup.network_schedule = {.kind = ScheduleKind::linear,
                                .peak = kind == OptimizerKind::adam ? 0.01 : 0.05,
                                .total_steps = 30};
  setup.device = device;
  setup.precision = Precision::f32;
  return setup;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = worse(largest, std::abs(double(a[i]) - double(b[i])));
  }
  return largest;
}

double mean_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(double(a[i]) - double(b[i]));
  return sum / static_cast<double>(a.size());
}

bool never() { return false; }

/// On a machine with a GPU the real plug-in takes the place of the host's: tests/bench/device.
void use_host_cuda() {
  const char* other = std::getenv("FRUGAL_TEST_PLUGINS");
  setenv("FRUGAL_PLUGIN_DIR", other == nullptr ? HOST_CUDA : other, 1);
}

}  // namespace

TEST_CASE("twenty steps on a device are those of the CPU: every architecture, optimiser, method") {
  use_host_cuda();
  struct Case {
    const char *method, *architecture;
    Storage storage = Storage::f32;
    std::size_t rank = 0;
  };
  for (const Case& c : {Case{"robe", "dlrm"}, Case{"robe-hot", "dlrm", Storage::int8, 1},
                        Case{"full", "dcn"}, Case{"multi", "dcn", Storage::f32, 5},
                        Case{"hash", "deepfm"}, Case{"robe", "dlrm", Storage::int4}}) {
    for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adagrad, OptimizerKind::adam}) {
      CAPTURE(c.method);
      CAPTURE(c.architecture);
      CAPTURE(optimizer_name(kind));
      double loss = 0;
      std::vector<float> answers;
      for (const char* device : {"cpu", "cuda"}) {
        Parts parts(c.method, c.architecture, c.storage, c.rank);
        EmbeddingOptions storage;
        storage.storage = c.storage;
        train_for_storage(*parts.embedding, storage);
        const auto trainer =
            make_trainer(*parts.embedding, *parts.network, device_setup(device, kind));
        RandomBatches batches(kSteps * kOurBatch - 7);
        const double began = wall_seconds();
        CHECK(trainer->run(batches, 100, never) == kSteps);
        const BatchTrainer::Progress progress = trainer->take_progress();
        CHECK((progress.busy_seconds > 0) == (device == std::string("cuda")));
        CHECK(progress.busy_seconds < wall_seconds() - began);
        CHECK(progress.samples == kSteps * kOurBatch - 7);
        // What the device answers is what the model answers that is brought back.
        ClickBatch batch;
        RandomBatches(100).next(batch, 100);
        const auto predictor = trainer->predictor();
        const auto logits = predictor->logits(batch);
        const std::vector<float> on_device(logits.begin(), logits.end());
        trainer->bring_back();
        if (answers.empty()) {
          answers = parts.answers();
          loss = progress.loss;
        } else {
          CHECK(largest_difference(on_device, parts.answers()) < 1e-5);
          if (c.storage ==
              Storage::int4) {  // whose rounding makes of a last bit, here and there, a level
            CHECK(mean_difference(parts.answers(), answers) < 0.05);
          } else {
            CHECK(largest_difference(parts.answers(), answers) < 2e-5);
          }
          CHECK(std::abs(progress.loss - loss) < 1e-5 * loss);
        }
      }
    }
  }
}

TEST_CASE("a run moves from the CPU to a device and back, with the optimiser's state") {
  use_host_cuda();
  for (const auto kind : {OptimizerKind::adagrad, OptimizerKind::adam}) {
    Parts moved("robe", "dlrm", Storage::f32), still("robe", "dlrm", Storage::f32);
    RandomBatches batches(15 * kOurBatch), same(15 * kOurBatch);
    const auto whole = make_trainer(*still.embedding, *still.network, device_setup("cpu", kind));
    CHECK(whole->run(same, 15, never) == 15);
    Document state;
    std::uint64_t step = 0;
    for (const char* device : {"cpu", "cuda", "cpu"}) {
      const auto trainer =
          make_trainer(*moved.embedding, *moved.network, device_setup(device, kind));
      if (step > 0) {
        moved.embedding->load_state(state, "state");
        moved.network->load_state(state, "state");
      }
      trainer->set_step(step);
      CHECK(trainer->run(batches, 5, never) == 5);
      trainer->bring_back();
      step = trainer->step();
      Document lent;
      moved.embedding->save_state(lent);
      moved.network->save_state(lent);
      state = lent.clone();
    }
    CHECK(step == 15);
    CHECK(largest_difference(moved.answers(), still.answers()) < 2e-5);
  }
}

TEST_CASE("dot products of vectors that threads cannot share are those of the CPU") {
  use_host_cuda();
  std::vector<float> answers[2];
  for (const bool on_device : {false, true}) {
    Parts parts("robe", "dlrm", Storage::f32, 1, 1600);
    TrainerSetup setup = device_setup(on_device ? "cuda" : "cpu", OptimizerKind::sgd);
    setup.batch_size = 5;
    const auto trainer = make_trainer(*parts.embedding, *parts.network, setup);
    RandomBatches batches(2 * setup.batch_size);
    CHECK(trainer->run(batches, 2, never) == 2);
    trainer->bring_back();
    answers[on_device ? 1 : 0] = parts.answers();
  }
  CHECK(largest_difference(answers[1], answers[0]) < 2e-5);
}

TEST_CASE("a step with the sums of the occurrences of each number is the CPU's") {
  use_host_cuda();
  for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adagrad}) {
    std::vector<float> answers[3];
    for (const bool sums : {false, true}) {
      for (const char* device : {"cpu", "cuda"}) {
        Parts parts("robe", "dlrm", Storage::f32);
        TrainerSetup setup = device_setup(device, kind);
        setup.optimizer.sums_blocks = sums;
        const auto trainer = make_trainer(*parts.embedding, *parts.network, setup);
        RandomBatches batches(kSteps * kOurBatch - 7);
        CHECK(trainer->run(batches, 100, never) == kSteps);
        trainer->bring_back();
        answers[sums ? (device == std::string("cpu") ? 1 : 2) : 0] = parts.answers();
      }
    }
    CHECK(largest_difference(answers[2], answers[1]) < 2e-5);
    // Steps of SGD are linear: that of a sum is the sum of the steps.
    const bool linear = kind == OptimizerKind::sgd;
    CHECK((largest_difference(answers[1], answers[0]) > 1e-4) == !linear);
  }
}

TEST_CASE("products are a library's where the machine has one, with the same results") {
  use_host_cuda();
  if (std::getenv("FRUGAL_TEST_PLUGINS") != nullptr)
    return;  // the machine's takes every other case
  void* fake = dlopen(FAKE_CUBLASLT, RTLD_NOW);
  REQUIRE(fake != nullptr);
  const auto count = [&](const char* name) {
    return reinterpret_cast<unsigned (*)()>(dlsym(fake, name))();
  };
  struct Case {
    const char* architecture;
    Precision precision;
    double bound;
    std::size_t rank = 0;
  };
  for (const Case& c :
       {Case{"dlrm", Precision::f32, 2e-5}, Case{"dcn", Precision::f32, 2e-5},
        Case{"dlrm", Precision::bf16, 0.03}, Case{"dcn", Precision::bf16, 0.03},
        Case{"dcn", Precision::bf16, 0.03, 3}, Case{"deepfm", Precision::bf16, 0.03}}) {
    CAPTURE(c.architecture);
    CAPTURE(c.bound);
    std::vector<float> answers, with_library;
    for (const char* library : {"off", FAKE_CUBLASLT}) {
      setenv("FRUGAL_CUBLASLT", library, 1);
      const bool has_library = library == std::string(FAKE_CUBLASLT);
      Parts parts("robe", c.architecture, Storage::f32, c.rank);
      const unsigned calls = count("fake_cublaslt_calls"), halves = count("fake_cublaslt_halves");
      const unsigned choices = count("fake_cublaslt_choices");
      // The first steps of Adagrad are as long for a gradient's last bit as for all of it.
      const bool exact = c.precision == Precision::f32;
      TrainerSetup setup =
          device_setup("cuda", exact ? OptimizerKind::adagrad : OptimizerKind::sgd);
      setup.precision = c.precision;
      const auto trainer = make_trainer(*parts.embedding, *parts.network, setup);
      RandomBatches batches(kSteps * kOurBatch - 7);  // the last one is not whole
      CHECK(trainer->run(batches, 100, never) == kSteps);
      trainer->bring_back();
      (has_library ? with_library : answers) = parts.answers();
      CHECK((count("fake_cublaslt_calls") > calls) == has_library);
      CHECK((count("fake_cublaslt_halves") > halves) == (has_library && !exact));
      // An algorithm is chosen once a shape, of which each layer has three.
      CHECK(count("fake_cublaslt_choices") - choices <= 40);
    }
    CHECK(largest_difference(with_library, answers) < c.bound);
  }
  unsetenv("FRUGAL_CUBLASLT");
}

TEST_CASE("answers on a device: every storage of the array") {
  use_host_cuda();
  for (const Storage storage : {Storage::f32, Storage::bf16, Storage::int8, Storage::int4}) {
    Parts parts("robe-hot", "dcn", Storage::f32);
    static_cast<ArrayEmbedding&>(*parts.embedding).array().store_as(storage);
    ClickBatch batch;
    RandomBatches(100).next(batch, 100);
    for (const auto& [precision, bound] :
         {std::pair{Precision::f32, 1e-5}, {Precision::bf16, 0.02}}) {
      const auto predictor = open_predictor(*parts.embedding, *parts.network,
                                            {"cuda", "robe-compress predict", precision});
      const auto logits = predictor->logits(batch);
      CHECK(largest_difference({logits.begin(), logits.end()}, parts.answers()) < bound);
    }
  }
}

TEST_CASE("what no engine does is refused, and left to the CPU by auto") {
  use_host_cuda();
  Parts parts("qr", "dlrm", Storage::f32);
  CHECK_THROWS_WITH_AS(
      make_trainer(*parts.embedding, *parts.network, device_setup("cuda", OptimizerKind::sgd)),
      "embeddings of --method qr have no engine for devices, expected --device cpu", Error);
  const TrainerSetup automatic = device_setup("auto", OptimizerKind::sgd);
  CHECK(make_trainer(*parts.embedding, *parts.network, automatic) != nullptr);
}

TEST_CASE("a loss that is not finite ends a run on a device, too") {
  use_host_cuda();
  Parts parts("robe", "dlrm", Storage::f32);
  static_cast<ArrayEmbedding&>(*parts.embedding).array().values()[0] = NAN;
  const auto trainer =
      make_trainer(*parts.embedding, *parts.network, device_setup("cuda", OptimizerKind::sgd));
  RandomBatches batches(20 * kOurBatch);
  CHECK_THROWS_AS(trainer->run(batches, 20, never), Error);
}
