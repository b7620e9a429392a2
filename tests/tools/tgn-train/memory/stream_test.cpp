// Planner, runner and memory together, compared with events in turn or in batches in plain double.
#include <doctest/doctest.h>

#include <cstring>

#include "tests/support/worst.h"
#include "tests/tools/tgn-train/memory/model_on_stream.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr double kForward = 1e-5;
/// After some steps, which make more of what was rounded.
constexpr double kTrained = 1e-4;
const TimeScale kShift = {.mean = {3, 4}, .deviation = {20, 30}};

std::vector<Variant> stream_variants() {
  using enum EmbeddingKind;
  std::vector<Variant> all = {
      stream_variant(attention), stream_variant(time, {0}, UpdaterKind::rnn),
      stream_variant(sum, {2, true}), stream_variant(attention, {2, true}, UpdaterKind::none)};
  Variant mlp = stream_variant(identity);
  mlp.options.message = MessageKind::mlp;
  mlp.options.aggregator = AggregatorKind::mean;
  all.push_back(mlp);
  return all;
}

/// Compares embeddings and logits of events from `begin` on.
void check_triples(ModelOnStream& ours, MatrixView<const float> got, const plain::Network& network,
                   const std::vector<plain::Numbers>& want, std::size_t begin) {
  REQUIRE(want.size() >= 3 * begin + got.rows);
  const auto first = want.begin() + static_cast<std::ptrdiff_t>(3 * begin);
  const std::vector<plain::Numbers> part(first, first + static_cast<std::ptrdiff_t>(got.rows));
  CHECK(relative_distance(got, part) < kForward);
  const MatrixView<const float> logits = ours.model.score(ours.plan, got);
  double largest = 0;
  for (std::size_t i = 0; i < logits.rows; ++i) {
    for (const std::size_t k : {0U, 1U}) {
      const double logit = network.logit(part[3 * i], part[3 * i + 1 + k]).value;
      const double distance = std::abs(static_cast<double>(logits(i, k)) - logit);
      largest = worse(largest, distance / (1 + std::abs(logit)));
    }
  }
  CHECK(largest < kForward);
}

/// What the reference makes of batches of one event: embeddings of all triples.
std::vector<plain::Numbers> one_by_one(plain::Network& network, const RandomStream& stream) {
  plain::Memory memory(network, stream, MemoryMode::exact);
  memory.since_mean = kShift.mean;
  memory.since_deviation = kShift.deviation;
  std::vector<plain::Numbers> triples;
  for (std::size_t e = 0; e < stream.size(); ++e) {
    for (plain::Numbers& row : memory.step(e, e + 1)) triples.push_back(std::move(row));
  }
  return triples;
}

/// The window mode, in steps of several sizes.
void check_windows(const Variant& v, const RandomStream& stream, RefreshKind refresh) {
  plain::Network network(v.options, saved(make_model(v.options, v.inputs)));
  const std::vector<plain::Numbers> want = one_by_one(network, stream);
  plain::Memory memory(network, stream, MemoryMode::window, refresh);
  for (std::size_t e = 0; e < stream.size(); e += 10) {
    memory.step(e, std::min(stream.size(), e + 10));
  }
  for (const std::size_t size : {1U, 7U, 50U, 200U}) {
    CAPTURE(size);
    ModelOnStream ours(v, stream, MemoryMode::window, refresh, kShift);
    for (std::size_t begin = 0; begin < stream.size(); begin += size) {
      const std::size_t end = std::min(stream.size(), begin + size);
      check_triples(ours, ours.embed(begin, end), network, want, begin);
      ours.runner->store(ours.plan);
    }
    CHECK(ours.memory_distance(memory) < kForward);
  }
}

/// Strict ties, in steps of several sizes that cut between and within times.
void check_strict(const Variant& v, const RandomStream& stream, RefreshKind refresh) {
  plain::Network network(v.options, saved(make_model(v.options, v.inputs)));
  plain::Memory memory(network, stream, MemoryMode::window, refresh);
  memory.since_mean = kShift.mean;
  memory.since_deviation = kShift.deviation;
  memory.make_strict();
  const std::vector<plain::Numbers> want = memory.step(0, stream.size());
  for (const std::size_t size : {1U, 2U, 7U, 50U}) {
    CAPTURE(size);
    ModelOnStream ours(v, stream, MemoryMode::window, refresh, kShift);
    for (std::size_t begin = 0; begin < stream.size(); begin += size) {
      const std::size_t end = std::min(stream.size(), begin + size);
      check_triples(ours, ours.embed_strictly(begin, end), network, want, begin);
      ours.runner->store(ours.plan);
    }
    CHECK(ours.waiting.empty());
    CHECK(ours.memory_distance(memory) < kForward);
  }
}

/// The modes whose memory is that of batches.
void check_batches(const Variant& v, const RandomStream& stream, MemoryMode mode) {
  for (const std::size_t size : {1U, 13U, 40U}) {
    CAPTURE(size);
    ModelOnStream ours(v, stream, mode);
    plain::Network network(v.options, saved(ours.model));
    plain::Memory memory(network, stream, mode);
    for (std::size_t begin = 0; begin < stream.size(); begin += size) {
      const std::size_t end = std::min(stream.size(), begin + size);
      const std::vector<plain::Numbers> want = memory.step(begin, end);
      check_triples(ours, ours.embed(begin, end), network, want, 0);
      ours.runner->store(ours.plan);
    }
    CHECK(ours.memory_distance(memory) < kForward);
  }
}

/// Windows of several batches, of which the last is cut short.
void check_windows_of_batches(const Variant& v, const RandomStream& stream, MemoryMode mode) {
  for (const std::size_t size : {1U, 5U}) {
    CAPTURE(size);
    const std::size_t window = 4 * size;
    REQUIRE(stream.size() % window != 0);
    ModelOnStream ours(v, stream, mode);
    plain::Network network(v.options, saved(ours.model));
    plain::Memory memory(network, stream, mode);
    memory.set_window(window);
    for (std::size_t begin = 0; begin < stream.size(); begin += size) {
      const std::size_t end = std::min(stream.size(), begin + size);
      const std::vector<plain::Numbers> want = memory.step(begin, end);
      check_triples(ours, ours.embed_in_window(begin, end, window), network, want, 0);
      ours.runner->store(ours.plan);
    }
    CHECK(ours.memory_distance(memory) < kForward);
  }
}

struct Training {
  MemoryMode mode = MemoryMode::window;
  RefreshKind refresh = RefreshKind::none;
  std::size_t batch = 12, skipped = 24, steps = 5;
  double rate = 0.02;
  std::size_t window = 12;  ///< divides `skipped`
};

/// Some steps without training, then some with.
void check_training(const Variant& v, const RandomStream& stream, const Training& t) {
  ModelOnStream ours(v, stream, t.mode, t.refresh, kShift);
  const Document document = saved(ours.model);
  plain::Network network(v.options, document);
  plain::Memory memory(network, stream, t.mode, t.refresh);
  memory.since_mean = kShift.mean;
  memory.since_deviation = kShift.deviation;
  memory.step(0, t.skipped);
  if (t.window != t.batch) memory.set_window(t.window);
  ours.embed(0, t.skipped);
  ours.runner->store(ours.plan);
  for (std::size_t s = 0; s < t.steps; ++s) {
    CAPTURE(s);
    const std::size_t begin = t.skipped + s * t.batch, end = begin + t.batch;
    network.make_variable();
    const std::vector<plain::Numbers> want = memory.step(begin, end);
    const plain::Number want_loss = network.link_loss(want);
    const MatrixView<const float> got =
        t.window == t.batch ? ours.embed(begin, end) : ours.embed_in_window(begin, end, t.window);
    CHECK(relative_distance(got, want) < kTrained);
    ours.runner->store(ours.plan);
    const double loss =
        ours.model.train_links(ours.plan, stream.features(), static_cast<float>(t.rate));
    CHECK(loss == doctest::Approx(want_loss.value).epsilon(kTrained));
    network.descend(network.gradient(want_loss), t.rate);
  }
  CHECK(ours.memory_distance(memory) < kTrained);
  const plain::Tensors before = plain::tensors_of(document);
  const plain::Tensors after = plain::tensors_of(saved(ours.model));
  for (const auto& entry : before) {
    const std::string& name = entry.first;
    CAPTURE(name);
    std::vector<double> got, want;
    for (std::size_t i = 0; i < entry.second.size(); ++i) {
      got.push_back(after.at(name)[i] - entry.second[i]);
      want.push_back(network.tensors().at(name)[i] - entry.second[i]);
    }
    CHECK(relative_distance(got, want) < 1e-3);
  }
}

/// All of stream_variants() on streams of which every second has two kinds of nodes.
template <class Check>
void for_each_stream(std::size_t events, const Check& check) {
  std::uint64_t seed = 2;
  for (const Variant& v : stream_variants()) {
    CAPTURE(v.name);
    StreamShape shape;
    shape.events = events;
    shape.bipartite = seed % 2 == 1;
    shape.real_times = seed % 3 == 0;
    shape.seed = ++seed;
    check(v, RandomStream(shape, v.inputs, v.options.memory_dim));
  }
}

}  // namespace

TEST_CASE("windows of any size are as the reference's batches of one event") {
  for_each_stream(210, [](const Variant& v, const RandomStream& stream) {
    check_windows(v, stream, RefreshKind::none);
  });
}

TEST_CASE("by strict ties events know nothing of those of their own time, wherever steps end") {
  for_each_stream(110, [](const Variant& v, const RandomStream& stream) {
    check_strict(v, stream, RefreshKind::none);
    check_strict(v, stream, RefreshKind::touched);
  });
}

TEST_CASE("updates that are made again with the same weights change nothing") {
  for_each_stream(110, [](const Variant& v, const RandomStream& stream) {
    check_windows(v, stream, RefreshKind::touched);
  });
}

TEST_CASE("windows over two layers of neighbours are as batches of one event") {
  Variant v = stream_variant(EmbeddingKind::attention, {2, true});
  v.options.layers = 2;
  v.options.neighbors = 3;
  StreamShape shape;
  shape.events = 60;
  check_windows(v, RandomStream(shape, v.inputs, v.options.memory_dim), RefreshKind::none);
}

TEST_CASE("exact batches are the reference's") {
  for_each_stream(80, [](const Variant& v, const RandomStream& stream) {
    check_batches(v, stream, MemoryMode::exact);
  });
}

TEST_CASE("batches that keep what messages are made of are the reference's") {
  for_each_stream(80, [](const Variant& v, const RandomStream& stream) {
    check_batches(v, stream, MemoryMode::read);
  });
}

TEST_CASE("batches of a window see the memory of its beginning") {
  for_each_stream(50, [](const Variant& v, const RandomStream& stream) {
    for (const MemoryMode mode : {MemoryMode::exact, MemoryMode::read}) {
      check_windows_of_batches(v, stream, mode);
    }
  });
}

TEST_CASE("training by batches of a window takes the steps of plain formulas") {
  for_each_stream(90, [](const Variant& v, const RandomStream& stream) {
    for (const MemoryMode mode : {MemoryMode::exact, MemoryMode::read}) {
      check_training(v, stream, {.mode = mode, .batch = 4, .steps = 7, .window = 12});
    }
  });
}

TEST_CASE("training in windows follows the gradient of events in turn") {
  for_each_stream(
      90, [](const Variant& v, const RandomStream& stream) { check_training(v, stream, {}); });
}

TEST_CASE("training with refresh makes the last updates with the weights of the step") {
  for_each_stream(90, [](const Variant& v, const RandomStream& stream) {
    check_training(v, stream, {.refresh = RefreshKind::touched});
  });
}

TEST_CASE("training in exact batches takes the reference's steps") {
  for_each_stream(90, [](const Variant& v, const RandomStream& stream) {
    check_training(v, stream, {.mode = MemoryMode::exact});
  });
}

TEST_CASE("DyRep's messages have embeddings and its links memory, as the reference's") {
  for (const EmbeddingKind embedding : {EmbeddingKind::attention, EmbeddingKind::sum}) {
    for (const bool node_features : {false, true}) {
      Variant v = stream_variant(embedding, {2, node_features}, UpdaterKind::rnn);
      v.options.dyrep = true;
      v.options.aggregator = node_features ? AggregatorKind::mean : AggregatorKind::last;
      v.options.layers = node_features ? 2 : 1;
      v.options.neighbors = 3;
      StreamShape shape;
      shape.events = 80;
      shape.bipartite = node_features;
      const RandomStream stream(shape, v.inputs, v.options.memory_dim);
      check_batches(v, stream, MemoryMode::exact);
      check_training(v, stream, {.mode = MemoryMode::exact, .steps = 4});
    }
  }
}

TEST_CASE("training in read batches encodes times anew") {
  for_each_stream(90, [](const Variant& v, const RandomStream& stream) {
    check_training(v, stream, {.mode = MemoryMode::read});
  });
}

TEST_CASE("Graphcore's model, in batches, has memory and neighbours as PyTorch Geometric") {
  Variant v = stream_variant(EmbeddingKind::transformer, {2, true});
  v.options.rules = Rules::pyg;
  for (const bool bipartite : {true, false}) {
    StreamShape shape;
    shape.events = 90;
    shape.bipartite = bipartite;
    const RandomStream stream(shape, v.inputs, v.options.memory_dim);
    check_batches(v, stream, MemoryMode::exact);
    check_training(v, stream, {.mode = MemoryMode::exact});
    check_windows_of_batches(v, stream, MemoryMode::read);
    for (const RefreshKind refresh : {RefreshKind::none, RefreshKind::touched}) {
      check_training(v, stream, {.refresh = refresh, .steps = 3});
    }
    check_training(
        v, stream,
        {.mode = MemoryMode::exact, .batch = 4, .steps = 9, .rate = 0.005, .window = 12});
  }
}
