// Copies of the memory that train at once, each in its range of the time, alone and as ranks.
#include "tools/tgn-train/steps/time_ranges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/threading/parallel.h"
#include "tests/libcore/parallel/test_ranks.h"
#include "tests/support/text_file.h"
#include "tests/tools/tgn-train/generated_stream.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tools/tgn-train/links/link_evaluation.h"
#include "tools/tgn-train/run/training.h"
#include "tools/tgn-train/steps/memory_copies.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kRangeBatch = 7;

SessionOptions session_in(MemoryMode mode) {
  SessionOptions options;
  options.mode = mode;
  if (mode == MemoryMode::window) options.refresh = RefreshKind::touched;
  return options;
}

MemoryCopy::Stream copies_of(const GeneratedStream& stream, MemoryMode mode) {
  return {*stream.data,
          *stream.negatives,
          3,
          {kRangeBatch, mode == MemoryMode::window ? kRangeBatch : 3 * kRangeBatch}};
}

TgnModel model_at_rest() {
  TgnModel model = make_model(small_options(), {2});
  model.prepare_training({.kind = OptimizerKind::adam});
  return model;
}

std::string content_of(const Document& state) {
  std::string all;
  for (const Tensor& tensor : state.tensors) {
    const auto bytes = tensor.content();
    all +=
        tensor.name + ":" + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return all;
}

/// What a session knows behind the events that train, with weights that stay.
std::string known_of_all(const GeneratedStream& stream, MemoryMode mode) {
  TgnModel model = model_at_rest();
  const MemoryCopy::Stream way = copies_of(stream, mode);
  StreamSession session(model, stream.data->events(), stream.data->training_neighbors(),
                        stream.data->features(), session_in(mode));
  MemoryCopy copy(way, session);
  copy.restart(0);
  copy.begin_epoch(0, kNoEvent);
  while (const PlannedStep* const step = copy.next()) {
    if (step->events.empty())
      session.runner().learn(step->plan);
    else
      session.runner().train(step->plan, {}, 0);
  }
  copy.end_epoch();
  session.settle();
  learn_training(*stream.data, session, copy.at().window, way.sizes.window);
  Document state;
  session.save(state);
  return content_of(state);
}

/// What the copy of the last range knows behind each epoch, with weights that stay.
std::vector<std::string> known_of_copies(const GeneratedStream& stream, MemoryMode mode,
                                         std::size_t count, int epochs) {
  const auto alone = single_process();
  TgnModel model = model_at_rest();
  const MemoryCopy::Stream way = copies_of(stream, mode);
  const TimeRanges ranges(*stream.data, count, kRangeBatch, 0);
  MemoryCopies copies(way, ranges, model, session_in(mode), *alone);
  std::vector<std::string> all;
  RunPosition at;
  for (; at.epoch < epochs; ++at.epoch) {
    copies.begin_epoch(at);
    for (MemoryCopies::Figures f = copies.backward(at); f.batches != 0; f = copies.backward(at)) {
      copies.step(f, 0);
    }
    copies.end_epoch();
    all.push_back(
        content_of(copies.last_state(static_cast<std::size_t>(at.epoch), way.sizes.window)));
  }
  return all;
}

TrainOptions small_training(const GeneratedStream& stream, const std::string& model) {
  TrainOptions options;
  options.events = stream.path;
  options.model = model;
  options.network = small_options();
  options.network.dropout = 0.1F;
  options.refresh = RefreshKind::touched;
  options.batch = kRangeBatch;
  options.learning_rate = 0.01;
  options.epochs = 5;
  options.time_ranges = 4;
  return options;
}

/// What memory the model has: the last copy's without a validation, which chooses an early epoch.
struct Remembered {
  bool weights_only = false, evaluates = true;
};

std::string trained_by(const GeneratedStream& stream, int ranks, const Remembered& way) {
  const TextFile file("", ".model");
  ThreadRanks(ranks).run([&](Communicator& rank) {
    TrainOptions options = small_training(stream, rank.rank() == 0 ? file.path() : "");
    options.weights_only = way.weights_only;
    options.evaluates = way.evaluates;
    static_cast<TrainerSettings&>(options).ranks = &rank;
    const TrainResult result = train(options, {});
    CHECK(result.steps == 5 * 11);
    CHECK(result.tests.test.has_value() == (rank.rank() == 0 && way.evaluates));
  });
  std::ifstream written(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(written), {}};
}

}  // namespace

TEST_CASE("ranges have as many batches each as can be, and copies take turns in them") {
  const GeneratedStream stream;
  std::vector<EventId> events;
  for (const std::size_t count : {1, 2, 3, 4}) {
    const TimeRanges ranges(*stream.data, count, kRangeBatch, 0);
    REQUIRE(ranges.count() == count);
    std::size_t least = 1000, most = 0, all = 0;
    for (std::size_t range = 0; range < count; ++range) {
      std::size_t batches = 0;
      EventId at = ranges.begin(range);
      for (; at < ranges.end(range); ++batches) {
        stream.data->next(EventPart::train, false, kRangeBatch, at, events);
        if (events.empty()) break;
      }
      if (range + 1 < count) CHECK(at == ranges.begin(range + 1));
      least = std::min(least, batches);
      most = std::max(most, batches);
      all += batches;
    }
    CHECK(most - least <= 1);
    CHECK(all == (stream.data->split().num_events(EventPart::train) + 6) / 7);
    for (std::size_t epoch = 0; epoch < 6; ++epoch) {
      CHECK(ranges.of(ranges.last_copy(epoch), epoch) == count - 1);
      CHECK(ranges.is_whole(epoch) == (epoch >= count - 1));
    }
  }
  CHECK_THROWS_AS(TimeRanges(*stream.data, 1000, kRangeBatch, 0), Error);
  CHECK_THROWS_AS(TimeRanges(*stream.data, 1, kRangeBatch, 100000), Error);
}

TEST_CASE("a copy carries its memory from range to range and begins anew with the first") {
  const GeneratedStream stream;
  set_num_threads(1);
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact}) {
    const std::string want = known_of_all(stream, mode);
    for (const std::size_t count : {2, 3}) {
      CAPTURE(count);
      const std::vector<std::string> found =
          known_of_copies(stream, mode, count, static_cast<int>(2 * count));
      for (std::size_t epoch = 0; epoch < found.size(); ++epoch) {
        CAPTURE(epoch);
        CHECK((found[epoch] == want) == (epoch + 1 >= count));
      }
    }
  }
  set_num_threads(0);
}

TEST_CASE("ranks that share the copies train the model of one that has them all") {
  const GeneratedStream stream;
  set_num_threads(1);
  for (const Remembered& way : {Remembered{false, false}, {false, true}, {true, true}}) {
    const std::string one = trained_by(stream, 1, way);
    CHECK(!one.empty());
    for (const int ranks : {2, 4}) CHECK(trained_by(stream, ranks, way) == one);
  }
  set_num_threads(0);
}
