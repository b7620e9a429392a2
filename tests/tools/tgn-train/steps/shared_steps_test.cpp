// Trainings whose ranks share one memory.
#include "tools/tgn-train/steps/shared_steps.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tests/support/text_file.h"
#include "tests/tools/tgn-train/generated_stream.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tools/tgn-train/run/training.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

TrainOptions training_in_shards(const GeneratedStream& stream, const std::string& model,
                                std::uint32_t shards) {
  TrainOptions options;
  options.events = stream.path;
  options.model = model;
  options.network = small_options();
  options.network.dropout = 0.1F;
  options.refresh = RefreshKind::touched;
  options.batch = 9;
  options.learning_rate = 0.01;
  options.epochs = 3;
  options.memory_shards = shards;
  options.place.folder = std::filesystem::temp_directory_path().string();
  return options;
}

struct Trained {
  std::string model;
  double loss = 0, test = 0;
};

/// Rank 0's result; all have its tests.
Trained trained_in_shards(const GeneratedStream& stream, int ranks, std::uint32_t shards) {
  const TextFile file("", ".model");
  Trained trained;
  ThreadRanks(ranks).run([&](Communicator& rank) {
    const bool is_first = rank.rank() == 0;
    TrainOptions options = training_in_shards(stream, is_first ? file.path() : "", shards);
    static_cast<TrainerSettings&>(options).ranks = &rank;
    const TrainResult result = train(options, {});
    CHECK(result.tests.test.has_value());
    CHECK((result.step_sent_bytes > 0) == (ranks > 1));
    if (is_first) trained = {"", result.loss, result.tests.test->ap_batch()};
  });
  std::ifstream written(file.path(), std::ios::binary);
  trained.model.assign(std::istreambuf_iterator<char>(written), {});
  return trained;
}

}  // namespace

TEST_CASE("ranks that share a memory train the model of one that has it all") {
  const GeneratedStream stream;
  set_num_threads(1);
  const Trained one = trained_in_shards(stream, 1, 4);
  CHECK(!one.model.empty());
  for (const int ranks : {2, 4}) {
    const Trained shared = trained_in_shards(stream, ranks, 4);
    CHECK(shared.model == one.model);
    CHECK(shared.loss == one.loss);
    CHECK(shared.test == one.test);
  }
  set_num_threads(0);
}

TEST_CASE("a memory in one shard trains the model of one in none") {
  const GeneratedStream stream;
  set_num_threads(1);
  const Trained plain = trained_in_shards(stream, 1, 0);
  CHECK(trained_in_shards(stream, 1, 1).model == plain.model);
  CHECK(trained_in_shards(stream, 1, 4).model != plain.model);
  set_num_threads(0);
}

TEST_CASE("a shared memory is refused beside copies and what has no engine for it") {
  const GeneratedStream stream;
  const auto train_with = [&](const auto& change) {
    TrainOptions options = training_in_shards(stream, "", 4);
    change(options);
    train(options, {});
  };
  CHECK_THROWS_AS(train_with([](TrainOptions& o) { o.time_ranges = 2; }), Error);
  CHECK_THROWS_AS(train_with([](TrainOptions& o) { o.device = "cuda"; }), Error);
}
