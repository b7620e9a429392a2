// What a session knows when training ends: settled, saved, given to another.
#include "tools/tgn-train/memory/stream_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "libcore/system/temporary_file.h"
#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tests/tools/tgn-train/memory/random_stream.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tools/tgn-train/steps/epoch_validation.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

constexpr std::size_t kBatch = 10;
constexpr std::size_t kTrainedEvents = 160;  ///< events

struct Case {
  Variant variant;
  SessionOptions session;
};

Case make_case(EmbeddingKind embedding, MemoryMode mode, RefreshKind refresh) {
  Case c{{std::string(embedding_name(embedding)), small_options(embedding), {2}}, {}};
  c.session.mode = mode;
  c.session.refresh = refresh;
  if (embedding == EmbeddingKind::transformer) {
    c.variant.options.rules = Rules::pyg;
  }
  return c;
}

std::vector<Case> cases() {
  using enum EmbeddingKind;
  using enum RefreshKind;
  std::vector<Case> all = {make_case(attention, MemoryMode::window, touched),
                           make_case(transformer, MemoryMode::window, touched),
                           make_case(identity, MemoryMode::window, touched),
                           make_case(attention, MemoryMode::window, none),
                           make_case(attention, MemoryMode::exact, none),
                           make_case(transformer, MemoryMode::exact, none),
                           make_case(attention, MemoryMode::read, none),
                           make_case(attention, MemoryMode::window, touched)};
  all.back().session.memory_dtype = Dtype::bf16;
  all.push_back(make_case(attention, MemoryMode::window, touched));
  all.back().session.pairs.emplace();
  all.push_back(make_case(attention, MemoryMode::window, touched));
  all.back().session.place = {MemoryTier::disk, "", temporary_folder()};
  all.push_back(make_case(attention, MemoryMode::window, touched));
  all.back().variant.options.updater = UpdaterKind::none;
  for (Case& c : all) {
    if (c.session.pairs) c.variant.inputs.pair_features = c.session.pairs->num_features();
  }
  return all;
}

RandomStream stream_of(const Case& c) {
  StreamShape shape;
  shape.events = 220;
  shape.nodes = 70;  // some without events
  return RandomStream(shape, c.variant.inputs, c.variant.options.memory_dim);
}

/// A session and a model, whose weights are the same for all of a case.
class Worker {
 public:
  Worker(const Case& c, const RandomStream& stream, RefreshKind refresh)
      : model(make_model(c.variant.options, c.variant.inputs)),
        session(model, stream.view(), stream.neighbors, stream.features(),
                with_refresh(c.session, refresh)),
        stream_(stream) {}

  void train(std::size_t begin, std::size_t end) {
    for (; begin < end; begin += kBatch) {
      plan(begin, StepKind::queries_and_updates);
      session.runner().embed(plan_, {true, 1, begin});
      session.runner().store(plan_);
      model.train_links(plan_, stream_.features(), 0.05F);
    }
  }
  /// Logits of the batch's events and negatives; all is as before.
  std::vector<float> asked(std::size_t begin) {
    session.keep_state();
    std::vector<float> all;
    add_logits(begin, StepKind::queries, all);
    session.restore();
    return all;
  }
  /// Of all events behind training, batch by batch, which the memory gets to know.
  std::vector<float> rest() {
    std::vector<float> all;
    for (std::size_t begin = kTrainedEvents; begin < stream_.size(); begin += kBatch) {
      add_logits(begin, StepKind::queries_and_updates, all);
      session.runner().store(plan_);
    }
    return all;
  }

  TgnModel model;
  StreamSession session;

 private:
  static SessionOptions with_refresh(SessionOptions options, RefreshKind refresh) {
    options.refresh = refresh;
    return options;
  }
  void add_logits(std::size_t begin, StepKind kind, std::vector<float>& all) {
    plan(begin, kind);
    const MatrixView<const float> pairs = model.score(plan_, session.runner().embed(plan_, {}));
    for (std::size_t i = 0; i < pairs.rows; ++i) all.insert(all.end(), {pairs(i, 0), pairs(i, 1)});
  }
  void plan(std::size_t begin, StepKind kind) {
    std::vector<EventId> events(kBatch);
    std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
    const auto first = stream_.negatives.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<NodeId> others(first, first + kBatch);
    session.planner().plan(events, others, kind, plan_);
  }

  const RandomStream& stream_;
  StepPlan plan_;
};

float largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  float largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = worse(largest, std::abs(a[i] - b[i]));
  return largest;
}

template <class Check>
void for_each_case(const Check& check) {
  for (const Case& c : cases()) {
    CAPTURE(c.variant.name);
    CAPTURE(memory_mode_name(c.session.mode));
    CAPTURE(static_cast<int>(c.session.refresh));
    CAPTURE(c.session.memory_dtype);
    check(c, stream_of(c));
  }
}

/// Behind training and settling.
Worker& settled(Worker& worker) {
  worker.train(0, kTrainedEvents);
  worker.session.settle();
  return worker;
}

Document saved(const StreamSession& session) {
  Document document;
  session.save(document);
  return document.clone();
}

/// One that goes on with fixed weights, as eval does, from what another knows.
void give(const Document& state, const Worker& from, Worker& to) {
  Document weights;
  from.model.save(weights);
  to.model.load(weights, "model");
  to.session.restart(Weights::fixed);
  to.session.load(state, "state");
}

}  // namespace

TEST_CASE("settling makes the updates that the weights would make again") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    const bool again = c.session.mode == MemoryMode::window &&
                       c.session.refresh == RefreshKind::touched && c.variant.options.has_memory();
    Worker worker(c, stream, c.session.refresh), stale(c, stream, c.session.refresh);
    worker.train(0, kTrainedEvents);
    const std::vector<float> want = worker.asked(kTrainedEvents);
    worker.session.settle();
    const float rounding = c.session.memory_dtype == Dtype::bf16 ? 0.02F : 1e-5F;
    CHECK(largest_difference(worker.asked(kTrainedEvents), want) <= rounding);
    // Without it memory has what it was before the last updates.
    stale.train(0, kTrainedEvents);
    stale.session.planner().fix_weights();
    CHECK((largest_difference(stale.asked(kTrainedEvents), want) > 1e-3F) == again);
  });
}

TEST_CASE("what is saved behind training is gone on from bit by bit") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    Worker worker(c, stream, c.session.refresh);
    const Document state = saved(settled(worker).session);
    Worker other(c, stream, RefreshKind::none);
    give(state, worker, other);
    const std::vector<float> want = worker.rest();
    CHECK(other.rest() == want);
    // Another epoch begins as the first, and ends with the same file.
    Worker first(c, stream, c.session.refresh), again(c, stream, c.session.refresh);
    settled(again).session.keep_state();
    again.rest();  // a validation
    again.session.restore();
    Document weights;
    first.model.save(weights);
    again.model.load(weights, "model");
    again.session.restart(Weights::learn);
    const Document one = saved(settled(first).session), two = saved(settled(again).session);
    REQUIRE(one.tensors.size() == two.tensors.size());
    for (std::size_t i = 0; i < one.tensors.size(); ++i) {
      const auto a = one.tensors[i].content(), b = two.tensors[i].content();
      CHECK(one.tensors[i].name == two.tensors[i].name);
      CHECK((a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0));
    }
  });
}

TEST_CASE("a settled state has the tensors that a reader expects, for any number of nodes") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    Worker worker(c, stream, c.session.refresh);
    const Document state = saved(settled(worker).session);
    const std::size_t nodes = stream.view().num_nodes;
    const auto expected = fixed_state_tensors(worker.model, c.session, nodes);
    CHECK(state.tensors.size() == expected.size() + (c.session.pairs ? 1 : 0));
    for (const TensorInfo& tensor : expected) {
      const Tensor& found = state.at(tensor.name);
      CHECK(found.dtype == tensor.dtype);
      CHECK(found.shape == tensor.shape);
    }
    const auto more = fixed_state_tensors(worker.model, c.session, 3 * nodes);
    for (std::size_t i = 0; i < more.size(); ++i) {
      CHECK(more[i].shape[0] == 3 * expected[i].shape[0]);
    }
  });
}

TEST_CASE("a copy of what a session knew outlives what it does, also in checkpoints") {
  for_each_case([](const Case& c, const RandomStream& stream) {
    Worker worker(c, stream, c.session.refresh);
    StateCopy copy(settled(worker).session);
    CHECK(copy.empty());
    copy.take();
    const std::vector<float> want = worker.rest();
    Document checkpoint;
    copy.save(checkpoint);
    const TextFile file("", ".safetensors");
    write_document(file.path(), checkpoint);

    Worker other(c, stream, RefreshKind::none);
    give(copy.state(), worker, other);
    CHECK(other.rest() == want);
    StateCopy restored(other.session);
    TensorReadOptions read;
    read.places = restored.places();
    restored.load(read_document(file.path(), read), file.path());
    CHECK(!restored.empty());
    give(restored.state(), worker, other);
    CHECK(other.rest() == want);
    restored.load(Document(), "none");
    CHECK(restored.empty());
    // Of another size it is written nowhere.
    Document other_size = read_document(file.path());
    Tensor* const memory = const_cast<Tensor*>(other_size.find("best_state.memory"));
    CHECK((memory != nullptr) == c.variant.options.has_memory());
    if (memory == nullptr) {
      other_size.tensors.push_back(Tensor::make("best_state.memory", Dtype::f32, {70, 16}));
    } else {
      *memory = Tensor::make(memory->name, memory->dtype, {7000, memory->shape[1]});
    }
    CHECK(error_of([&] {
            restored.load(other_size, "c");
          }).starts_with("65 c: tensor 'best_state.memory' is "));
  });
}

TEST_CASE("states that are another session's or damaged are refused") {
  const Case c = make_case(EmbeddingKind::attention, MemoryMode::window, RefreshKind::none);
  const RandomStream stream = stream_of(c);
  Worker worker(c, stream, RefreshKind::none);
  const Document state = saved(settled(worker).session);
  const auto refusal = [&](const char* name, const auto& change) {
    Document damaged = state.clone();
    change(damaged.at(name));
    return error_of([&] { worker.session.load(damaged, "some.file"); });
  };
  CHECK(refusal("memory", [](Tensor& t) { t.as<float>()[5] = NAN; }) ==
        "65 some.file: tensor 'memory' has a number that is not finite");
  CHECK(refusal("memory", [](Tensor& t) {
          t.shape = {35, 32};
        }) == "65 some.file: tensor 'memory' is F32 [35, 32], expected F32 [70, 16]");
  CHECK(refusal("memory", [](Tensor& t) { t.name = "other"; }) ==
        "65 some.file: there is no tensor 'memory'");
  const NodeId source = stream.sources[0], other = source == 0 ? 1 : 0;
  const auto unknown = [&](NodeId node, EventId event) {
    return "node " + std::to_string(node) + " has event " + std::to_string(event) +
           ", expected one that it is in";
  };
  CHECK(refusal("past.last", [&](Tensor& t) { t.as<EventId>()[source] = 220; }) ==
        "65 some.file: tensor 'past.last': " + unknown(source, 220));
  if (stream.destinations[0] != other) {
    CHECK(refusal("past.previous", [&](Tensor& t) { t.as<EventId>()[other] = 0; }) ==
          "65 some.file: tensor 'past.previous': " + unknown(other, 0));
  }
  const EventId last = kTrainedEvents - 1;
  CHECK(error_of([&] { worker.session.load(state, "some.file", last); }) ==
        "65 some.file: tensor 'past.last': " +
            unknown(std::min(stream.sources[last], stream.destinations[last]), last));
  CHECK(refusal("past.last", [](Tensor& t) { t.shape = {69}; }) ==
        "65 some.file: tensor 'past.last' is U32 [69], expected U32 [70]");
}

namespace {

/// Logits of a batch among other destinations, and the number of rows that answer its queries.
struct Ranking {
  std::vector<float> logits;
  std::size_t rows = 0;
};

Ranking ranking(Worker& worker, const RandomStream& stream, std::size_t begin, bool shares_rows) {
  std::vector<EventId> events(kBatch);
  std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
  std::vector<NodeId> others;
  for (std::size_t i = 0; i < kBatch * 20; ++i) {
    others.push_back(stream.destinations[i * i % stream.size()]);
  }
  StepEvents step{events, others, {}, static_cast<EventId>(begin)};
  if (worker.session.options().mode == MemoryMode::window) step.updates = events;
  step.shares_rows = shares_rows;
  StepPlan plan;
  worker.session.keep_state();
  worker.session.planner().plan(step, plan);
  const MatrixView<const float> rows = worker.session.runner().embed(plan, {});
  const MatrixView<const float> logits = worker.model.score(plan, rows);
  worker.session.restore();
  return {{logits.data, logits.data + logits.rows * logits.cols}, rows.rows};
}

}  // namespace

TEST_CASE("queries that share rows have the logits of queries with their own") {
  std::vector<Case> all = cases();
  all.push_back(make_case(EmbeddingKind::sum, MemoryMode::window, RefreshKind::none));
  all.back().variant.options.rules = Rules::pyg;
  // Without memory, times and events alone tell rows of a node apart.
  all.push_back(make_case(EmbeddingKind::transformer, MemoryMode::window, RefreshKind::none));
  all.back().variant.options.updater = UpdaterKind::none;
  for (const Case& c : all) {
    CAPTURE(c.variant.name);
    CAPTURE(static_cast<int>(c.session.mode));
    const RandomStream stream = stream_of(c);
    Worker worker(c, stream, c.session.refresh);
    worker.train(0, kTrainedEvents);
    worker.session.settle();
    const Ranking own = ranking(worker, stream, kTrainedEvents, false);
    const Ranking shared = ranking(worker, stream, kTrainedEvents, true);
    CHECK(own.rows == kBatch * 22);
    CHECK(own.logits == shared.logits);
    const bool shares =
        c.variant.options.is_pyg() || c.variant.options.embedding == EmbeddingKind::identity;
    CHECK(worker.session.planner().can_share_rows() == shares);
    // In window mode, events of the step change some rows.
    const std::size_t nodes = stream.view().num_nodes;
    if (!shares) CHECK(shared.rows == own.rows);
    if (shares) CHECK(shared.rows < own.rows / 2);
    if (shares && c.session.mode == MemoryMode::exact) CHECK(shared.rows <= nodes);
  }
}
