// A session on a stream that goes on against one that has the whole stream.
#include "tools/tgn-train/memory/live_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "tests/support/text_file.h"
#include "tests/support/worst.h"
#include "tests/tools/tgn-train/memory/random_stream.h"
#include "tests/tools/tgn-train/network/variants.h"
#include "tools/tgn-train/memory/waiting_events.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

struct LiveCase {
  Variant variant;
  SessionOptions session;
  Ties ties = Ties::order;
};

Variant variant(EmbeddingKind embedding, UpdaterKind updater = UpdaterKind::gru) {
  Variant v{std::string(embedding_name(embedding)), small_options(embedding), {2}};
  v.options.updater = updater;
  v.options.neighbors = 3;
  return v;
}

/// Whose decoder looks at features of pairs.
LiveCase pairs_case(MemoryMode mode, Ties ties) {
  PairHistoryOptions pairs;
  pairs.places = 3;
  pairs.time_unit = 5;
  pairs.walks.dim = 8;
  pairs.walks.half_life = 50;
  LiveCase c{variant(EmbeddingKind::attention), {}, ties};
  c.variant.inputs.pair_features = pairs.num_features();
  c.session.mode = mode;
  c.session.pairs = pairs;
  return c;
}

/// A case whose events have types. pairs: the decoder reads features of pairs.
LiveCase types_case(MemoryMode mode, Ties ties, bool pairs) {
  LiveCase c =
      pairs ? pairs_case(mode, ties) : LiveCase{variant(EmbeddingKind::attention), {}, ties};
  c.session.mode = mode;
  TgnInputs& inputs = c.variant.inputs;
  inputs.types = 3;
  inputs.edge_features += inputs.types;
  if (pairs) {
    c.session.pairs->typed = true;
    inputs.pair_features = c.session.pairs->num_features();
  }
  inputs.pair_features += inputs.types;
  return c;
}

/// A network that embeds both ends of a pair by walks.
LiveCase walks_case() {
  LiveCase c{variant(EmbeddingKind::walks, UpdaterKind::none), {}, Ties::strict};
  c.session.pairs.emplace();
  c.session.pairs->places = 1;
  c.session.pairs->walks = {2, 8, 50, 1};
  c.variant.inputs.walk_hops = 2;
  return c;
}

std::vector<LiveCase> live_cases() {
  using enum EmbeddingKind;
  std::vector<LiveCase> all;
  const auto add = [&](Variant v, MemoryMode mode, Ties ties = Ties::order) {
    SessionOptions session;
    session.mode = mode;
    session.time = {1, 0, {3, 4}, {20, 30}};
    all.push_back({std::move(v), session, ties});
  };
  Variant two = variant(attention);
  two.options.layers = 2;
  Variant pyg = variant(transformer);
  pyg.options.rules = Rules::pyg;
  Variant mean = variant(identity);
  mean.options.aggregator = AggregatorKind::mean;
  Variant drawn = variant(attention);
  drawn.options.sampling = NeighborSampling::uniform;
  add(variant(attention), MemoryMode::window);
  add(variant(sum), MemoryMode::window);
  add(two, MemoryMode::window);
  add(pyg, MemoryMode::window);
  add(drawn, MemoryMode::window);
  add(variant(time, UpdaterKind::rnn), MemoryMode::window);
  add(variant(attention, UpdaterKind::none), MemoryMode::window);
  add(variant(attention), MemoryMode::window, Ties::strict);
  add(two, MemoryMode::window, Ties::strict);
  add(variant(time, UpdaterKind::rnn), MemoryMode::window, Ties::strict);
  all.push_back(pairs_case(MemoryMode::window, Ties::strict));
  all.push_back(pairs_case(MemoryMode::exact, Ties::order));
  all.push_back(walks_case());
  all.push_back(types_case(MemoryMode::window, Ties::strict, false));
  all.push_back(types_case(MemoryMode::window, Ties::strict, true));
  all.push_back(types_case(MemoryMode::exact, Ties::order, true));
  add(variant(attention), MemoryMode::exact);
  add(mean, MemoryMode::exact);
  add(pyg, MemoryMode::exact);
  add(two, MemoryMode::read);
  return all;
}

RandomStream stream_of(const LiveCase& c, double equal_times) {
  StreamShape shape;
  shape.events = 260;
  shape.equal_times = equal_times;
  shape.real_times = equal_times > 0.5;
  shape.seed = 9;
  return RandomStream(shape, c.variant.inputs, c.variant.options.memory_dim);
}

/// What eval does: logits of all events of a session that has the whole stream, `batch` at once.
/// state: what it knows of those before `known`.
std::vector<float> whole_logits(const LiveCase& c, const RandomStream& stream, std::size_t batch,
                                const Document* state = nullptr, std::size_t known = 0) {
  TgnModel model = make_model(c.variant.options, c.variant.inputs);
  StreamSession session(model, stream.view(), stream.neighbors, stream.features(), c.session);
  if (state != nullptr) session.load(*state, "state");
  const EventTimes times = stream.view().times;
  WaitingEvents waiting(times, c.ties);
  std::vector<float> logits;
  StepPlan plan;
  for (std::size_t begin = known; begin < stream.size(); begin += batch) {
    std::vector<EventId> events(std::min(batch, stream.size() - begin));
    std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
    const auto first = stream.negatives.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<NodeId> others(first, first + static_cast<std::ptrdiff_t>(events.size()));
    if (c.ties == Ties::strict) {
      const std::size_t next = begin + events.size();
      waiting.add(events);
      StepEvents step{events, others,
                      waiting.take(events.back(),
                                   next < stream.size() ? static_cast<EventId>(next) : kNoEvent)};
      step.ties = Ties::strict;
      session.planner().plan(step, plan);
    } else {
      session.planner().plan(events, others, StepKind::queries_and_updates, plan);
    }
    const MatrixView<const float> pairs = model.score(plan, session.runner().embed(plan, {}));
    for (std::size_t i = 0; i < events.size(); ++i) logits.push_back(pairs(i, 0));
    session.runner().store(plan);
  }
  return logits;
}

/// A session that goes on, which is told of the stream's events.
class Live {
 public:
  Live(const LiveCase& c, const RandomStream& stream, std::size_t batch)
      : stream_(stream),
        model_(make_model(c.variant.options, c.variant.inputs)),
        session(model_, c.session, {.batch = batch, .ties = c.ties, .slack = 5}) {
    if (!stream.view().times.is_whole()) session.make_times_real();
  }

  /// Adds [begin, end).
  void add(std::size_t begin, std::size_t end) {
    const FeatureRows edges = stream_.features().edges.without_types();
    std::vector<float> features(edges.dim);
    for (std::size_t e = begin; e < end; ++e) {
      const NodeId source = stream_.sources[e], destination = stream_.destinations[e];
      edges.read(e, features.data());
      session.set_nodes(
          std::max({session.num_nodes(), std::size_t{source} + 1, std::size_t{destination} + 1}));
      session.add(source, destination, stream_.view().times.at(static_cast<EventId>(e)), features,
                  stream_.type(e));
    }
  }
  /// Scores [begin, end) in parts of at most `most` lines.
  void score(std::size_t begin, std::size_t end, std::size_t most, std::vector<float>& logits) {
    Rng rng(most, begin);
    while (begin < end) {
      const std::size_t n = std::min<std::size_t>(end - begin, 1 + rng.below(most));
      add(begin, begin + n);
      const auto scored = session.score();
      CHECK(scored.size() == n);
      logits.insert(logits.end(), scored.begin(), scored.end());
      begin += n;
    }
  }

 private:
  const RandomStream& stream_;
  TgnModel model_;

 public:
  LiveSession session;
};

void check_equal(const std::vector<float>& got, const std::vector<float>& want,
                 std::size_t begin = 0) {
  REQUIRE(begin + got.size() <= want.size());
  float largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float w = want[begin + i];
    largest = worse(largest, std::abs(got[i] - w) / (1 + std::abs(w)));
  }
  CHECK(largest < 2e-5F);
}

template <class Check>
void for_each_live_case(const Check& check) {
  for (const LiveCase& c : live_cases()) {
    for (const double equal : {0.3, 0.9}) {
      CAPTURE(c.variant.name);
      CAPTURE(c.variant.options.layers);
      CAPTURE(memory_mode_name(c.session.mode));
      CAPTURE(equal);
      check(c, stream_of(c, equal));
    }
  }
}

EventContent content_of(const LiveSession& session) {
  const EventView view = session.events().view(session.num_nodes());
  EventContent content;
  content.num_nodes = session.num_nodes();
  content.sources = view.sources;
  content.destinations = view.destinations;
  content.times = view.times;
  content.edge_features = session.events().features().without_types();
  content.types = view.types;
  HeaderNames types;
  for (std::size_t t = 0; t < session.events().num_types(); ++t) types.push_back(std::to_string(t));
  add_header_names(kTypesKey, types, content.metadata);
  return content;
}

}  // namespace

TEST_CASE("a stream that goes on is scored as a whole one, whatever comes at once") {
  for_each_live_case([](const LiveCase& c, const RandomStream& stream) {
    const std::vector<float> want = whole_logits(c, stream, 12);
    for (const std::size_t most : {1U, 5U, 40U}) {
      CAPTURE(most);
      Live live(c, stream, 12);
      std::vector<float> got;
      live.score(0, stream.size(), most, got);
      check_equal(got, want);
    }
  });
}

TEST_CASE("after a history that is only learnt, scores are the same") {
  for_each_live_case([](const LiveCase& c, const RandomStream& stream) {
    const std::vector<float> want = whole_logits(c, stream, 12);
    Live live(c, stream, 12);
    for (std::size_t begin = 0; begin < 120; begin += 12) {
      live.add(begin, begin + 12);
      live.session.learn();
    }
    std::vector<float> got;
    live.score(120, stream.size(), 7, got);
    check_equal(got, want, 120);
  });
}

TEST_CASE("after a history that another memory is of, scores go on from that memory") {
  for_each_live_case([](const LiveCase& c, const RandomStream& stream) {
    const std::size_t known = 120;
    StepPlan plan;
    TgnModel earlier = make_model(c.variant.options, c.variant.inputs, 8);
    StreamSession training(earlier, stream.view(), stream.neighbors, stream.features(), c.session);
    for (std::size_t begin = 0; begin < known; begin += 12) {
      std::vector<EventId> events(12);
      std::iota(events.begin(), events.end(), static_cast<EventId>(begin));
      training.learn(events, plan);
    }
    Document state;
    training.save(state);
    const std::vector<float> want = whole_logits(c, stream, 12, &state, known);

    Live live(c, stream, 12);
    live.session.set_nodes(stream.num_nodes());
    live.add(0, known);
    live.session.go_on_from(state, "state");
    std::vector<float> got;
    live.score(known, stream.size(), 7, got);
    check_equal(got, want);
    // The model's own memory is another.
    if (c.variant.options.has_memory()) {
      CHECK(std::abs(got[0] - whole_logits(c, stream, 12)[known]) > 1e-3F);
    }
  });
}

TEST_CASE("what is kept of a stream does not grow with it") {
  for (const double equal : {0.0, 0.3, 0.95, 0.4}) {
    CAPTURE(equal);
    const bool with_pairs = equal == 0.4;
    const LiveCase c =
        with_pairs ? pairs_case(MemoryMode::window, Ties::strict) : live_cases().front();
    StreamShape shape;
    shape.events = 4000;
    shape.equal_times = equal;
    const RandomStream stream(shape, c.variant.inputs, c.variant.options.memory_dim);
    Live live(c, stream, 10);
    std::size_t most = 0;
    for (std::size_t begin = 0; begin < stream.size(); begin += 10) {
      live.add(begin, begin + 10);
      live.session.score();
      most = std::max<std::size_t>(most, live.session.events().size());
    }
    // Of pairs the last partners, the last event of each node and those of the present time.
    const std::size_t of_pairs = with_pairs ? shape.nodes * (3 + 1) + 40 : 0;
    const std::size_t needed = shape.nodes * (2 * c.variant.options.neighbors + 2) + 1 + of_pairs;
    CHECK(most <= 2 * needed + 2 * shape.nodes + 10 + 10);
    live.session.drop_unneeded();
    CHECK(live.session.events().size() <= needed);
  }
}

TEST_CASE("questions are answered as the events would be, and change nothing") {
  for_each_live_case([](const LiveCase& c, const RandomStream& stream) {
    const std::size_t known = 120, batch = 12;
    Live asked(c, stream, batch), silent(c, stream, batch);
    std::vector<float> scored, got, want;
    asked.score(0, known, 5, scored);
    silent.score(0, known, 5, scored);
    const EventTime time = stream.view().times.at(known);
    for (const std::size_t most : {1U, 3U}) {
      std::vector<NodeId> others(most);
      for (std::size_t i = 0; i < most; ++i) others[i] = static_cast<NodeId>((i + most) % 6);
      others.back() = stream.destinations[known];
      asked.session.set_nodes(stream.num_nodes());
      const auto logits =
          asked.session.ask(stream.sources[known], others, time, stream.type(known));
      REQUIRE(logits.size() == most);
      got.push_back(logits.back());
    }
    silent.session.set_nodes(stream.num_nodes());
    silent.score(known, known + 1, 1, want);
    // Neighbours that are drawn are drawn by the candidate's place.
    if (c.variant.options.sampling == NeighborSampling::uniform) got.pop_back();
    check_equal(got, {want[0], want[0]});
    std::vector<float> rest, all;
    asked.score(known, stream.size(), 7, rest);
    all.insert(all.end(), want.begin(), want.end());
    silent.score(known + 1, stream.size(), 7, all);
    check_equal(rest, all);
  });
}

TEST_CASE("a session goes on from what another has saved, also within a batch") {
  for_each_live_case([](const LiveCase& c, const RandomStream& stream) {
    const std::vector<float> want = whole_logits(c, stream, 12);
    for (const std::size_t at : {12U, 127U}) {
      CAPTURE(at);
      Live first(c, stream, 12);
      std::vector<float> logits;
      first.score(0, at, 5, logits);
      first.session.drop_unneeded();
      Document document;
      first.session.save(document);
      Live second(c, stream, 12);
      second.session.load(content_of(first.session), document, "s");
      std::vector<float> got, old;
      second.score(at, stream.size(), 5, got);
      check_equal(got, want, at);
      first.score(at, stream.size(), 5, old);
      check_equal(old, want, at);
    }
  });
}

TEST_CASE("what no session saved is refused") {
  const LiveCase c = live_cases().front();
  const RandomStream stream = stream_of(c, 0.3);
  Live first(c, stream, 12);
  std::vector<float> logits;
  first.score(0, 100, 5, logits);
  first.session.drop_unneeded();
  const EventContent content = content_of(first.session);
  const auto error_with = [&](const auto& change) {
    Document saved;
    first.session.save(saved);
    Document document = saved.clone();
    change(document);
    Live second(c, stream, 12);
    return error_of([&] { second.session.load(content, document, "s"); });
  };
  CHECK(error_with([](Document&) {}) == "no error");
  const auto set = [](const char* name, std::size_t i, auto value) {
    return [=](Document& d) { d.at(name).as<decltype(value)>()[i] = value; };
  };
  using Text = std::string;
  CHECK(error_with(set("past.last", 1, EventId{5000})).find("node 1 has event 5000") != Text::npos);
  CHECK(error_with(set("past.previous", 0, EventId{5000})).find("past.previous") != Text::npos);
  CHECK(error_with(set("neighbors.events", 0, EventId{5000})).find("node 0 has event 5000") !=
        Text::npos);
  // An event of the stream that the node is not in.
  EventId other = 0;
  while (content.sources[other] == 0 || content.destinations[other] == 0) ++other;
  CHECK(error_with(set("neighbors.events", 0, other)) ==
        "65 s: tensor 'neighbors.events': node 0 has event " + std::to_string(other) +
            ", expected one that it is in");
  CHECK(error_with(set("neighbors.offsets", 1, std::uint64_t{9999})).find("does not ascend") !=
        Text::npos);
  CHECK(error_with([](Document& d) {
          const auto events = d.at("neighbors.events").as<EventId>();
          std::swap(events[0], events[2]);
        }).find("neighbors.events") != Text::npos);
  CHECK(error_with([](Document& d) {
          const float bad = HUGE_VALF;
          std::memcpy(d.at("memory").bytes.data(), &bad, sizeof bad);
        }).find("not finite") != Text::npos);
  CHECK(error_with([](Document& d) { d.metadata["tgn.told"] = "100000"; }).find("tgn.told") !=
        Text::npos);
  CHECK(error_with([](Document& d) { d.tensors.erase(d.tensors.begin()); }) != "no error");
}
