// Steps that are cut into parts, against the whole ones.
#include "tools/tgn-train/memory/plan_parts.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "tests/support/worst.h"
#include "tests/tools/tgn-train/memory/model_on_stream.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

struct PartKind {
  MemoryMode mode;
  RefreshKind refresh;
};
constexpr PartKind kPartKinds[] = {{MemoryMode::window, RefreshKind::none},
                                   {MemoryMode::window, RefreshKind::touched},
                                   {MemoryMode::exact, RefreshKind::none},
                                   {MemoryMode::read, RefreshKind::none}};
constexpr std::size_t kStepEvents = 23, kBefore = 40;

std::vector<Variant> cut_variants() {
  std::vector<Variant> all = {stream_variant(EmbeddingKind::attention),
                              stream_variant(EmbeddingKind::identity, {2, true}),
                              stream_variant(EmbeddingKind::sum, {2, true}, UpdaterKind::rnn)};
  all[2].options.layers = 2;
  all.push_back(stream_variant(EmbeddingKind::transformer));
  all.back().options.rules = Rules::pyg;
  all.push_back(stream_variant(EmbeddingKind::attention, {5, false, 3, 3}));
  return all;
}

RandomStream stream_of(const Variant& v) {
  StreamShape shape;
  shape.events = 100;
  shape.nodes = 30;
  return {shape, v.inputs, v.options.memory_dim};
}

/// A model whose memory knows some events, with the plan of a step behind them.
struct BehindSome : ModelOnStream {
  BehindSome(const Variant& v, const RandomStream& stream, const PartKind& kind,
             StepKind step = StepKind::queries_and_updates)
      : ModelOnStream(v, stream, kind.mode, kind.refresh) {
    embed(0, kBefore);
    runner->store(plan);
    embed(kBefore, kBefore + kStepEvents, step);
  }
};

std::vector<double> numbers_of(MatrixView<const float> rows) {
  std::vector<double> all;
  for (std::size_t r = 0; r < rows.rows; ++r) {
    all.insert(all.end(), rows.row(r), rows.row(r) + rows.cols);
  }
  return all;
}

void add(std::vector<double>& to, const std::vector<double>& from) {
  to.resize(std::max(to.size(), from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

std::vector<double> gradient_of(TgnModel& model) {
  std::vector<float> gradient = model.take_gradient();
  return {gradient.begin(), gradient.end()};
}

/// What a step makes: embeddings, the gradient and the records that it stores.
struct StepMade {
  std::vector<double> embeddings, gradient, records;
  double loss = 0;
};

StepMade made_by(ModelOnStream& ours, std::span<const StepPlan> parts) {
  StepMade made;
  // Each part sees memory as of before the step, as it does where others store what they make.
  const auto bytes = ours.memory->bytes();
  const std::vector<std::byte> before(bytes.begin(), bytes.end());
  std::map<NodeId, std::vector<double>> records;
  for (const StepPlan& part : parts) {
    std::ranges::copy(before, bytes.begin());
    if (part.layers.back().size() == 0) {
      ours.runner->learn(part);
    } else {
      made.loss += ours.runner->backward(part, {}, kStepEvents);
      add(made.gradient, gradient_of(ours.model));
      const std::vector<double> rows = numbers_of(ours.model.embeddings());
      made.embeddings.insert(made.embeddings.end(), rows.begin(), rows.end());
    }
    for (const MemoryStore& store : part.stores) {
      REQUIRE(!records.contains(store.node));
      const std::vector<float> state = ours.state(store.node), message = ours.message(store.node);
      std::vector<double>& record = records[store.node];
      record.assign(state.begin(), state.end());
      record.insert(record.end(), message.begin(), message.end());
    }
  }
  std::ranges::copy(before, bytes.begin());
  for (const auto& [node, record] : records) {
    made.records.push_back(node);
    made.records.insert(made.records.end(), record.begin(), record.end());
  }
  return made;
}

}  // namespace

TEST_CASE("the parts of a step make together what the whole step makes") {
  for (const Variant& v : cut_variants()) {
    const RandomStream stream = stream_of(v);
    for (const PartKind& kind : kPartKinds) {
      if (v.options.is_pyg() && kind.mode == MemoryMode::window) continue;
      BehindSome ours(v, stream, kind);
      const StepMade want = made_by(ours, {&ours.plan, 1});
      REQUIRE(!want.records.empty());
      for (const std::size_t count : {1, 2, 4, 5, 40}) {
        CAPTURE(v.name);
        CAPTURE(count);
        PlanParts parts(count);
        const StepMade got = made_by(ours, parts.cut(ours.plan, kStepEvents));
        CHECK(relative_distance(got.embeddings, want.embeddings) < 1e-5);
        CHECK(relative_distance(got.records, want.records) < 1e-5);
        // Whether a parameter was reached is a number for each part.
        std::vector<double> sum = got.gradient;
        for (std::size_t i = 0; i < sum.size(); ++i) {
          if (want.gradient[i] == 1) sum[i] = std::min(sum[i], 1.0);
        }
        CHECK(relative_distance(sum, want.gradient) < 1e-4);
        CHECK(got.loss == doctest::Approx(want.loss));
      }
    }
  }
}

TEST_CASE("a part has its own events' queries and loads no more than it needs") {
  const Variant v = stream_variant(EmbeddingKind::attention);
  const RandomStream stream = stream_of(v);
  BehindSome ours(v, stream, {MemoryMode::window, RefreshKind::touched});
  PlanParts parts(4);
  std::size_t rows = 0, loads = 0, most = 0;
  for (const StepPlan& part : parts.cut(ours.plan, kStepEvents)) {
    CHECK(part.layers.back().size() % 3 == 0);
    CHECK(part.layers.back().size() / 3 >= kStepEvents / 4);
    CHECK(part.layers.back().size() / 3 <= kStepEvents / 4 + 1);
    rows += part.layers.back().size();
    loads += part.loads.size();
    most = std::max(most, part.loads.size());
    CHECK(part.updates.level_begin.back() == part.updates.size());
  }
  CHECK(rows == ours.plan.layers.back().size());
  CHECK(loads >= ours.plan.loads.size());
  CHECK(most < ours.plan.loads.size());
}

TEST_CASE("a step without queries is cut by what memory keeps") {
  const Variant v = stream_variant(EmbeddingKind::attention);
  const RandomStream stream = stream_of(v);
  for (const PartKind& kind : kPartKinds) {
    BehindSome ours(v, stream, kind, StepKind::updates);
    const StepMade want = made_by(ours, {&ours.plan, 1});
    PlanParts parts(3);
    const StepMade got = made_by(ours, parts.cut(ours.plan, 0));
    CHECK(relative_distance(got.records, want.records) < 1e-5);
  }
}
