// Steps on a device against the CPU's: on the plug-in whose CUDA kernels run here.
#include "tools/tgn-train/memory/device_steps.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/device/size_class.h"
#include "libcore/nn/optimizer_rules.h"
#include "libcore/system/clock.h"
#include "tests/support/sanitized.h"
#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tests/tools/tgn-train/memory/random_stream.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tools/tgn-train/memory/stream_session.h"

using namespace frugal;
using namespace frugal::tgn;

namespace on_device {
namespace {

constexpr std::size_t kOurBatch = 10, kOurEvents = 240;
constexpr std::size_t kSteps = kSanitized ? 3 : 20;
/// On a machine with a GPU the real plug-in takes the place of the host's: tests/bench/device.
void use_host_cuda() {
  const char* other = std::getenv("FRUGAL_TEST_PLUGINS");
  setenv("FRUGAL_PLUGIN_DIR", other == nullptr ? HOST_CUDA : other, 1);
}

struct Case {
  Variant variant;
  SessionOptions session;
  OptimizerKind optimizer = OptimizerKind::adagrad;

  /// Weights decay where the optimiser is Adam.
  OptimizerOptions rule() const {
    return {.kind = optimizer,
            .weight_decay = optimizer == OptimizerKind::adam ? 0.02F : 0,
            .corrected_epsilon = true};
  }
};

Case case_of(EmbeddingKind embedding, MemoryMode mode = MemoryMode::window,
             RefreshKind refresh = RefreshKind::none,
             OptimizerKind optimizer = OptimizerKind::adagrad) {
  Case c{{std::string(embedding_name(embedding)), small_options(embedding), {3}}, {}, optimizer};
  c.session.mode = mode;
  c.session.refresh = refresh;
  c.variant.options.dropout = 0.1F;
  if (embedding == EmbeddingKind::transformer) c.variant.options.rules = Rules::pyg;
  return c;
}

constexpr auto kTouched = RefreshKind::touched;
constexpr auto kNone = RefreshKind::none;
constexpr auto kWindow = MemoryMode::window;

std::vector<Case> cases() {
  using enum EmbeddingKind;
  using enum OptimizerKind;
  std::vector<Case> all;
  const auto add = [&](const Case& c, const auto& change) {
    all.push_back(c);
    change(all.back());
  };
  const auto as_it_is = [](Case&) {};
  add(case_of(attention, kWindow, kTouched, adam), as_it_is);
  add(case_of(attention, kWindow, kTouched), [](Case& c) {
    c.variant.options.layers = 2;
    c.variant.inputs.node_features = true;
  });
  add(case_of(attention), [](Case& c) { c.session.memory_dtype = Dtype::bf16; });
  add(case_of(attention, MemoryMode::exact), [](Case& c) {
    c.variant.options.message = MessageKind::mlp;
    c.variant.options.aggregator = AggregatorKind::mean;
  });
  // Of long times, plain steps of their encodings make of a last bit another angle.
  add(case_of(attention, MemoryMode::read, kNone, sgd),
      [](Case& c) { c.variant.options.train_time = false; });
  add(case_of(attention, kWindow, kTouched), [](Case& c) {
    c.variant.inputs = {0, false, 0};
    c.session.pairs.emplace();
    c.variant.inputs.pair_features = c.session.pairs->num_features();
  });
  add(case_of(attention, kWindow, kTouched), [](Case& c) {
    c.variant.options.updater = UpdaterKind::none;
    c.variant.options.train_time = false;
  });
  add(case_of(attention, kWindow, kTouched), [](Case& c) {
    c.session.pairs.emplace();
    c.session.pairs->typed = true;
    c.variant.inputs = {5, false, c.session.pairs->num_features() + 3, 3};
  });
  add(case_of(transformer, MemoryMode::exact, kNone, adam), [](Case& c) {
    c.variant.inputs = {3, false, 3, 3};
  });
  add(case_of(sum, kWindow, kTouched), as_it_is);
  add(case_of(time, kWindow, kTouched, adam),
      [](Case& c) { c.variant.options.updater = UpdaterKind::rnn; });
  add(case_of(identity, MemoryMode::exact), as_it_is);
  add(case_of(transformer, kWindow, kTouched), as_it_is);
  add(case_of(transformer, MemoryMode::exact, kNone, adam), as_it_is);
  return all;
}

/// nodes: some without events.
RandomStream stream_of(const Case& c, std::size_t events = kOurEvents, std::size_t nodes = 70) {
  StreamShape shape;
  shape.events = events;
  shape.nodes = nodes;
  return RandomStream(shape, c.variant.inputs, c.variant.options.memory_dim);
}

/// A session whose model's weights are the same for all of a case.
class Worker {
 public:
  /// trains: else as eval and embed use it.
  Worker(const Case& c, const RandomStream& stream, const std::string& device, bool trains = true,
         std::size_t batch = kOurBatch)
      : model(make_model(c.variant.options, c.variant.inputs)),
        session(model, stream.view(), stream.neighbors, stream.features(), c.session),
        stream_(stream),
        batch_(batch) {
    const OptimizerOptions optimizer = c.rule();
    const auto trained = trains ? std::optional(optimizer) : std::nullopt;
    CHECK(session.compute_on({device, "our test", batch}, trained) == (device == "cuda"));
    if (trains) model.prepare_training(optimizer);
    if (!trains) session.restart(Weights::fixed);
  }

  /// The sum of the losses of the batches [begin, end). The first events have nothing to update.
  double train(std::size_t begin, std::size_t end) {
    double loss = 0;
    for (std::size_t b = begin; b < end; ++b) {
      plan(b, StepKind::queries_and_updates);
      loss += session.runner().train(plan_, {true, 1, b}, 0.002F);
    }
    return loss + session.runner().collect();
  }
  /// Trains on batches of as many events as `sizes` says.
  double train_batches(std::span<const std::size_t> sizes) {
    double loss = 0;
    for (std::size_t b = 0, begin = 0; b < sizes.size(); begin += sizes[b++]) {
      plan_events(begin, sizes[b], StepKind::queries_and_updates);
      loss += session.runner().train(plan_, {true, 1, b}, 0.002F);
    }
    return loss + session.runner().collect();
  }
  /// Embeddings of a batch's queries; all is as before.
  std::vector<float> asked(std::size_t b) {
    session.keep_state();
    plan(b, StepKind::queries_and_updates);
    const std::vector<float> embedded = embed();
    session.runner().store(plan_);
    session.restore();
    return embedded;
  }
  /// Of the batches from `b` on, which the memory gets to know.
  std::vector<float> go_on(std::size_t b) {
    std::vector<float> all;
    for (; b < kOurEvents / kOurBatch; ++b) {
      plan(b, StepKind::queries_and_updates);
      const std::vector<float> some = embed();
      session.runner().store(plan_);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  const StepPlan& latest_plan() const { return plan_; }

  TgnModel model;
  StreamSession session;

 private:
  std::vector<float> embed() {
    const MatrixView<const float> rows = session.runner().embed(plan_, {});
    std::vector<float> all;
    for (std::size_t r = 0; r < rows.rows; ++r)
      all.insert(all.end(), rows.row(r), rows.row(r) + rows.cols);
    return all;
  }
  void plan(std::size_t b, StepKind kind) { plan_events(b * batch_, batch_, kind); }
  void plan_events(std::size_t begin, std::size_t n, StepKind kind) {
    std::vector<EventId> events(n);
    std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
    const auto first = stream_.negatives.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<NodeId> others(first, first + static_cast<std::ptrdiff_t>(n));
    session.planner().plan(events, others, kind, plan_);
  }

  const RandomStream& stream_;
  std::size_t batch_;
  StepPlan plan_;
};

template <class Check>
void for_each_case(const Check& check) {
  use_host_cuda();
  for (const Case& c : cases()) {
    CAPTURE(c.variant.name);
    CAPTURE(c.variant.options.layers);
    CAPTURE(memory_mode_name(c.session.mode));
    CAPTURE(c.session.memory_dtype);
    CAPTURE(optimizer_name(c.optimizer));
    check(c, stream_of(c));
  }
}

/// Relative to the largest number where that is above 1.
float largest_difference(std::span<const float> a, std::span<const float> b) {
  float largest = a.size() == b.size() ? 0 : HUGE_VALF, size = 1;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = worse(largest, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(a[i]));
  }
  return largest / size;
}

/// Of all floats in two documents with the same tensors; other tensors are equal.
float largest_difference(const Document& a, const Document& b) {
  float largest = a.tensors.size() == b.tensors.size() ? 0 : HUGE_VALF;
  for (std::size_t i = 0; i < std::min(a.tensors.size(), b.tensors.size()); ++i) {
    const Tensor &x = a.tensors[i], &y = b.tensors[i];
    CAPTURE(x.name);
    CHECK(x.name == y.name);
    if (x.dtype != Dtype::f32) {
      const bool equal = std::ranges::equal(x.content(), y.content());
      CHECK((equal || x.dtype == Dtype::bf16));
      continue;
    }
    largest = worse(largest, largest_difference(x.as<float>(), y.as<float>()));
  }
  return largest;
}

/// What a checkpoint has.
Document model_of(Worker& worker) {
  worker.session.bring_model_back();
  Document document;
  worker.model.save(document);
  return document.clone();
}
Document state_of(Worker& worker) {
  worker.session.bring_model_back();
  Document document;
  worker.model.save_state(document);
  worker.session.save(document);
  return document.clone();
}

/// Adam makes of a gradient's last bits a step, where the gradient is small.
float parameter_bound(const Case& c) { return c.optimizer == OptimizerKind::adam ? 1e-3F : 1e-4F; }

/// Rounding to bf16 makes of a last bit one of its own.
float state_bound(const Case& c) { return c.session.memory_dtype == Dtype::bf16 ? 0.02F : 1e-3F; }

bool same_bytes(const Document& a, const Document& b) {
  return std::ranges::equal(a.tensors, b.tensors, [](const Tensor& x, const Tensor& y) {
    return x.name == y.name && std::ranges::equal(x.content(), y.content());
  });
}

}  // namespace

TEST_CASE("twenty steps on a device are those of the CPU, and so is what is kept of them") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    Worker cpu(c, stream, "cpu"), device(c, stream, "cuda");
    const double want = cpu.train(0, kSteps), began = wall_seconds();
    const double got = device.train(0, kSteps);
    CHECK(cpu.session.runner().busy_seconds() == 0);
    CHECK(device.session.runner().busy_seconds() > 0);
    CHECK(device.session.runner().busy_seconds() < wall_seconds() - began);
    CHECK(std::abs(got - want) < 1e-4 * want);
    CHECK(largest_difference(model_of(device), model_of(cpu)) < parameter_bound(c));
    CHECK(largest_difference(state_of(device), state_of(cpu)) < state_bound(c));
    CHECK(largest_difference(device.asked(kSteps), cpu.asked(kSteps)) < state_bound(c));
    cpu.session.settle();
    device.session.settle();
    CHECK(largest_difference(state_of(device), state_of(cpu)) < state_bound(c));
  });
}

// Products of several tiles, rows of more numbers than a block has threads.
TEST_CASE("steps of a network as wide as the paper's are those of the CPU, in f32 and bf16") {
  use_host_cuda();
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    CAPTURE(kPrecisionNames[static_cast<std::size_t>(precision)]);
    Case c = case_of(EmbeddingKind::attention, MemoryMode::read);
    c.variant.inputs = {130};
    c.variant.options.memory_dim = 140;
    c.variant.options.time_dim = 90;
    c.variant.options.neighbors = 10;
    c.variant.options.precision = precision;
    const RandomStream stream = stream_of(c);
    Worker cpu(c, stream, "cpu"), device(c, stream, "cuda");
    const std::size_t steps = kSanitized ? 2 : 4;
    const double want = cpu.train(0, steps), got = device.train(0, steps);
    const bool halves = precision == Precision::bf16;
    CHECK(std::abs(got - want) < (halves ? 1e-2 : 1e-4) * want);
    // Adagrad's first steps have one length, however small a gradient is; its state tells them.
    CHECK(largest_difference(model_of(device), model_of(cpu)) < 0.02F);
    CHECK(largest_difference(state_of(device), state_of(cpu)) < (halves ? 0.1F : 1e-3F));
  }
}

TEST_CASE("a training moves from the CPU to a device and back, with the optimiser's state") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    if (c.session.pairs) return;  // whose history goes on by itself
    constexpr std::size_t kPart = kSteps / 3;
    Worker still(c, stream, "cpu");
    still.train(0, 3 * kPart);
    std::unique_ptr<Worker> moved;
    std::size_t step = 0;
    for (const char* device : {"cpu", "cuda", "cpu"}) {
      auto next = std::make_unique<Worker>(c, stream, device);
      if (moved) {
        const Document model = model_of(*moved), state = state_of(*moved);
        next->model.load(model, "model");
        next->model.load_state(state, "state");
        next->session.load(state, "state");
        next->session.model_changed();
      }
      moved = std::move(next);
      moved->train(step, step + kPart);
      step += kPart;
    }
    CHECK(largest_difference(model_of(*moved), model_of(still)) < parameter_bound(c));
    // Steps of all optimisers among them.
    CHECK(largest_difference(state_of(*moved), state_of(still)) < state_bound(c));
  });
}

TEST_CASE("a device goes on from what the host has, whatever was done to it") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    Worker worker(c, stream, "cuda");
    const Document start = model_of(worker);
    constexpr std::size_t kFew = kSteps == 20 ? 4 : 1;
    worker.train(0, kFew);
    const Document trained = state_of(worker);
    // A validation, of which nothing is left.
    const std::vector<float> once = worker.asked(kFew);
    CHECK(same_bytes(state_of(worker), trained));
    CHECK(worker.asked(kFew) == once);
    // Another epoch is as the first: nothing is added in an order of chance.
    worker.model.load(start, "start");
    worker.session.model_changed();
    worker.model.prepare_training(c.rule());
    worker.session.restart(Weights::learn);
    worker.session.clear_memory();
    worker.train(0, kFew);
    CHECK(same_bytes(state_of(worker), trained));
    // Loaded, what another one knows.
    Worker other(c, stream, "cuda");
    other.model.load(model_of(worker), "model");
    other.session.load(trained, "state");
    other.session.model_changed();
    CHECK(other.asked(kFew) == once);
  });
}

TEST_CASE("embeddings of a model that is not trained are those of the CPU") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    Worker cpu(c, stream, "cpu", false), device(c, stream, "cuda", false);
    StepPlan plan;
    const std::vector<EventId> first(5, 0);
    std::vector<EventId> events(kOurBatch);
    std::iota(events.begin(), events.end(), EventId{0});
    for (Worker* worker : {&cpu, &device}) worker->session.learn(events, plan);
    const std::size_t begin = kOurEvents / kOurBatch - 5;
    CHECK(largest_difference(device.go_on(begin), cpu.go_on(begin)) < 1e-4F);
    CHECK(largest_difference(state_of(device), state_of(cpu)) < 1e-4F);
  });
}

TEST_CASE("a training step takes at most 30 kernels, and three for each further level of updates") {
  use_host_cuda();
  const TextFile launches("");
  for (const MemoryMode mode : {MemoryMode::read, MemoryMode::exact, kWindow}) {
    for (const std::size_t batch : {std::size_t{10}, std::size_t{200}}) {
      if (batch != 10 && (mode == kWindow || kSanitized)) continue;  // of as many levels as events
      CAPTURE(memory_mode_name(mode));
      CAPTURE(batch);
      const Case c = case_of(EmbeddingKind::attention, mode);
      const RandomStream stream = stream_of(c, 8 * batch);
      Worker worker(c, stream, "cuda", true, batch);
      worker.train(0, 7);
      setenv("FRUGAL_HOST_CUDA_LAUNCHES", launches.path().c_str(), 1);
      const std::size_t before = std::filesystem::file_size(launches.path());
      worker.train(7, 8);
      const std::size_t kernels = std::filesystem::file_size(launches.path()) - before;
      unsetenv("FRUGAL_HOST_CUDA_LAUNCHES");
      const std::size_t levels = worker.latest_plan().updates.level_begin.size() - 1;
      MESSAGE(kernels, " kernels, ", levels, " levels");
      CHECK(kernels <= 27 + 3 * size_class(levels, 4));
    }
  }
}

// Takes seconds: batches for a library are large.
TEST_CASE("a library makes the products of large batches, and no row behind theirs counts") {
  use_host_cuda();
  if (std::getenv("FRUGAL_TEST_PLUGINS") != nullptr) return;  // the machine's, not the tests'
  void* fake = dlopen(FAKE_CUBLASLT, RTLD_NOW);
  REQUIRE(fake != nullptr);
  const auto calls = reinterpret_cast<unsigned (*)()>(dlsym(fake, "fake_cublaslt_calls"));
  setenv("FRUGAL_CUBLASLT", FAKE_CUBLASLT, 1);
  using enum EmbeddingKind;
  std::vector<Case> large(4, case_of(identity, MemoryMode::read));
  large[0] = case_of(attention, MemoryMode::read);
  large[0].variant.options.layers = 2;
  large[0].variant.options.neighbors = 2;
  large[1].variant.options.updater = UpdaterKind::rnn;
  large[1].variant.options.message = MessageKind::mlp;
  large[3] = case_of(attention);
  if (kSanitized) large.resize(1);
  for (const Case& c : large) {
    CAPTURE(c.variant.name);
    // In the last case the library makes gradients of weights alone.
    if (&c == &large.back()) setenv("FAKE_CUBLASLT_FINDS", "sums", 1);
    // Updates are many, too, where no neighbours are looked at. After larger batches, others are
    // behind the rows of smaller ones.
    const std::size_t whole = c.variant.options.has_neighbors() ? 760 : 3000;
    const std::size_t sizes[] = {whole, whole, whole, whole - 70};
    const RandomStream stream = stream_of(c, 4 * whole, whole);
    Worker cpu(c, stream, "cpu", true, whole), device(c, stream, "cuda", true, whole);
    const unsigned before = calls();
    const double want = cpu.train_batches(sizes), got = device.train_batches(sizes);
    const unsigned products = calls() - before;
    const StepPlan& plan = device.latest_plan();
    MESSAGE(products, " products by the library, ", plan.updates.size(), " updates, ",
            plan.layers[0].size(), " queries");
    CHECK(products > 0);
    CHECK(std::abs(got - want) < 1e-4 * want);
    CHECK(largest_difference(model_of(device), model_of(cpu)) < parameter_bound(c));
    CHECK(largest_difference(state_of(device), state_of(cpu)) < state_bound(c));
  }
  unsetenv("FAKE_CUBLASLT_FINDS");
  unsetenv("FRUGAL_CUBLASLT");
}

TEST_CASE("features of any type are read alike") {
  use_host_cuda();
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    Case c = case_of(EmbeddingKind::attention, kWindow, kTouched);
    const RandomStream stream = stream_of(c);
    StepFeatures features = stream.features();
    std::vector<std::byte> halves(2 * kOurEvents * features.edges.dim);
    for (std::size_t e = 0; e < kOurEvents; ++e) {
      std::vector<float> row(features.edges.dim);
      features.edges.read(e, row.data());
      store_features(row.data(), row.size(), dtype, halves.data() + 2 * e * row.size());
    }
    features.edges = {dtype, halves.data(), kOurEvents, features.edges.dim};
    StepPlan plan;
    std::vector<Document> states;
    for (const char* device : {"cpu", "cuda"}) {
      TgnModel model = make_model(c.variant.options, c.variant.inputs);
      StreamSession session(model, stream.view(), stream.neighbors, features, c.session);
      session.compute_on({device, "our test", kOurBatch}, std::nullopt);
      session.restart(Weights::fixed);
      std::vector<EventId> events(kOurBatch);
      std::iota(events.begin(), events.end(), EventId{0});
      session.learn(events, plan);
      Document state;
      session.save(state);
      states.push_back(state.clone());
    }
    CHECK(largest_difference(states[0], states[1]) < 1e-5F);
  }
}

TEST_CASE("what no engine does is refused, and left to the CPU by auto") {
  use_host_cuda();
  Case c = case_of(EmbeddingKind::identity, MemoryMode::exact);
  c.variant.options.dyrep = true;
  const RandomStream stream = stream_of(c);
  TgnModel model = make_model(c.variant.options, c.variant.inputs);
  StreamSession session(model, stream.view(), stream.neighbors, stream.features(), c.session);
  CHECK(
      error_of([&] {
        session.compute_on({"cuda:0", "our test", 10}, std::nullopt);
      }) ==
      "69 --device cuda:0: our test of DyRep networks has no engine for it, expected auto or cpu");
  CHECK(!session.compute_on({"auto", "our test", 10}, std::nullopt));
}

TEST_CASE("a loss that is not finite is told of") {
  use_host_cuda();
  const Case c = case_of(EmbeddingKind::identity);
  const RandomStream stream = stream_of(c);
  Worker worker(c, stream, "cuda");
  Document model = model_of(worker);
  for (float& x : model.at("affinity_score.fc2.weight").as<float>()) x = NAN;
  worker.model.load(model, "model");
  worker.session.model_changed();
  CHECK(std::isnan(worker.train(0, 2)));
}

}  // namespace on_device
