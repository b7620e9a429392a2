#include <doctest/doctest.h>

#include <cstring>

#include "tests/support/worst.h"
#include "tests/tools/tgn-train/memory/model_on_stream.h"
#include "tools/tgn-train/memory/stream_session.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

struct Kind {
  MemoryMode mode;
  RefreshKind refresh;
};
constexpr Kind kKinds[] = {{MemoryMode::window, RefreshKind::none},
                           {MemoryMode::window, RefreshKind::touched},
                           {MemoryMode::exact, RefreshKind::none},
                           {MemoryMode::read, RefreshKind::none}};

RandomStream make_stream(const Variant& v) {
  StreamShape shape;
  shape.events = 100;
  return {shape, v.inputs, v.options.memory_dim};
}

std::vector<float> embeddings(ModelOnStream& ours, std::size_t begin, std::size_t end,
                              StepKind kind = StepKind::queries_and_updates) {
  const MatrixView<const float> got = ours.embed(begin, end, kind);
  std::vector<float> all;
  for (std::size_t r = 0; r < got.rows; ++r)
    all.insert(all.end(), got.row(r), got.row(r) + got.cols);
  if (kind != StepKind::queries) ours.runner->store(ours.plan);
  return all;
}

bool same_memory(const ModelOnStream& a, const ModelOnStream& b) {
  const auto x = a.memory->bytes(), y = b.memory->bytes();
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size()) == 0;
}

}  // namespace

TEST_CASE("memory and past that are brought to another run go on as they do here") {
  const Variant v = stream_variant(EmbeddingKind::attention);
  const RandomStream stream = make_stream(v);
  for (const Kind& kind : kKinds) {
    ModelOnStream one(v, stream, kind.mode, kind.refresh),
        other(v, stream, kind.mode, kind.refresh);
    embeddings(one, 0, 25);
    embeddings(one, 25, 50);
    embeddings(other, 0, 10);
    const auto from = one.memory->bytes();
    std::copy(from.begin(), from.end(), other.memory->bytes().begin());
    other.planner->set_past(one.planner->past());
    CHECK(embeddings(one, 50, 75) == embeddings(other, 50, 75));
    CHECK(embeddings(one, 75, 100) == embeddings(other, 75, 100));
    CHECK(same_memory(one, other));
  }
}

TEST_CASE("memory is the same whether anybody asked") {
  const Variant v = stream_variant(EmbeddingKind::sum, {2, true});
  const RandomStream stream = make_stream(v);
  for (const Kind& kind : kKinds) {
    ModelOnStream asked(v, stream, kind.mode, kind.refresh);
    ModelOnStream silent(v, stream, kind.mode, kind.refresh);
    for (std::size_t begin = 0; begin < 75; begin += 25) {
      embeddings(asked, begin, begin + 25);
      CHECK(embeddings(silent, begin, begin + 25, StepKind::updates).empty());
    }
    CHECK(same_memory(asked, silent));
    const std::vector<float> without = embeddings(silent, 75, 100, StepKind::queries);
    CHECK(same_memory(asked, silent));
    const std::vector<float> with = embeddings(asked, 75, 100);
    if (kind.mode != MemoryMode::window) CHECK(with == without);
    CHECK(embeddings(silent, 75, 100) == with);
  }
}

TEST_CASE("with fixed weights no update is made again, and all is as if none ever were") {
  const Variant v = stream_variant(EmbeddingKind::attention);
  const RandomStream stream = make_stream(v);
  ModelOnStream none(v, stream, MemoryMode::window);
  ModelOnStream ours(v, stream, MemoryMode::window, RefreshKind::touched);
  embeddings(ours, 0, 60);
  ours.planner->reset(Weights::fixed);
  for (std::size_t begin = 0; begin < 100; begin += 20) {
    CHECK(embeddings(ours, begin, begin + 20) == embeddings(none, begin, begin + 20));
    CHECK(ours.plan.loads.size() == none.plan.loads.size());
  }
}

TEST_CASE("nothing is written before it is stored, and a node that is in no event stays zero") {
  const Variant v = stream_variant(EmbeddingKind::attention);
  const RandomStream stream = make_stream(v);
  for (const Kind& kind : kKinds) {
    ModelOnStream ours(v, stream, kind.mode, kind.refresh);
    ours.embed(0, 12);
    for (const std::byte b : ours.memory->bytes()) REQUIRE(b == std::byte{0});
    ours.runner->store(ours.plan);
    for (NodeId n = 0; n < stream.num_nodes(); ++n) {
      bool met = false;
      for (std::size_t e = 0; e < 12; ++e) {
        met = met || stream.sources[e] == n || stream.destinations[e] == n;
      }
      const bool kept = std::any_of(ours.plan.stores.begin(), ours.plan.stores.end(),
                                    [&](const MemoryStore& s) { return s.node == n; });
      CHECK(kept == met);
    }
  }
}

TEST_CASE("nodes at the time of an event are embedded as the event asks for them") {
  const Variant v = stream_variant(EmbeddingKind::attention);
  const RandomStream stream = make_stream(v);
  const EventView events = stream.view();
  for (const Kind& kind : kKinds) {
    ModelOnStream ours(v, stream, kind.mode, kind.refresh);
    for (std::size_t e = 0; e < 40; ++e) {
      const std::vector<float> want = embeddings(ours, e, e + 1, StepKind::queries);
      const EventTime time = events.times.at(static_cast<EventId>(e));
      const StepPlanner::NodeQuery three[] = {
          {stream.sources[e], time}, {stream.destinations[e], time}, {stream.negatives[e], time}};
      ours.planner->plan_nodes(three, ours.plan);
      CHECK(ours.plan.stores.empty());
      const MatrixView<const float> got = ours.runner->embed(ours.plan, {});
      REQUIRE(got.rows == 3);
      for (std::size_t r = 0; r < 3; ++r) {
        CHECK(std::equal(got.row(r), got.row(r) + got.cols, want.data() + r * got.cols));
      }
      CHECK(embeddings(ours, e, e + 1) == want);
    }
  }
}

TEST_CASE("memory in bf16 is that in f32 but for rounding") {
  const Variant v = stream_variant(EmbeddingKind::attention);
  const RandomStream stream = make_stream(v);
  ModelOnStream exact(v, stream, MemoryMode::window);
  ModelOnStream rounded(v, stream, MemoryMode::window);
  NodeMemoryShape shape = rounded.memory->shape();
  shape.dtype = Dtype::bf16;
  NodeMemory memory(shape);
  StepRunner runner(rounded.model, &memory, stream.features());
  for (std::size_t begin = 0; begin < 100; begin += 10) {
    embeddings(exact, begin, begin + 10);
    rounded.embed(begin, begin + 10);  // the plan; its own memory stays as it was
    runner.embed(rounded.plan, {});
    runner.store(rounded.plan);
  }
  double largest = 0;
  for (NodeId n = 0; n < stream.num_nodes(); ++n) {
    std::vector<float> got(shape.state_dim);
    memory.read(n, MemoryPart::state, got.data());
    for (std::size_t c = 0; c < got.size(); ++c) {
      largest = worse(largest, std::abs(static_cast<double>(got[c] - exact.state(n)[c])));
    }
  }
  CHECK(largest > 1e-4);
  CHECK(largest < 2e-2);
}
