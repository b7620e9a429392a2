#include "tools/tgn-train/memory/pair_stream.h"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "tests/support/text_file.h"
#include "tests/tools/tgn-train/evaluation/small_events.h"
#include "tests/tools/tgn-train/memory/model_on_stream.h"
#include "tools/tgn-train/network/link_decoder.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

using CandidateRows =
    std::vector<std::vector<float>>;  ///< of each event the features of its candidates

PairHistoryOptions options() {
  PairHistoryOptions options;
  options.places = 4;
  options.time_unit = 7;
  options.walks = {2, 8, 100, 9};
  return options;
}

std::vector<NodeId> all_nodes(const EventView& events) {
  std::vector<NodeId> nodes(events.num_nodes);
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

/// By a history of its own for each event, of what is strictly before.
CandidateRows expected_rows(const EventView& events, EventId end) {
  const std::vector<NodeId> candidates = all_nodes(events);
  CandidateRows rows;
  for (EventId event = 0; event < end; ++event) {
    PairHistory history(options(), events.times, events.num_nodes);
    for (EventId before = 0; before < event; ++before) {
      if (events.at_same_time(before, event)) continue;
      history.add(events.sources[before], events.destinations[before], before);
    }
    rows.emplace_back(candidates.size() * history.dim());
    history.features(events.sources[event], candidates, event, rows.back().data());
    for (float& x : rows.back()) x *= kPairScale;
  }
  return rows;
}

/// Events [begin, end) as the stream has them one after the other.
CandidateRows rows_in_turn(PairStream& pairs, const EventView& events, EventId begin, EventId end) {
  const std::vector<NodeId> candidates = all_nodes(events);
  CandidateRows rows;
  for (EventId event = begin; event < end; ++event) {
    rows.emplace_back(candidates.size() * pairs.dim());
    pairs.features(event, candidates, rows.back().data());
    pairs.pass(event);
  }
  return rows;
}

/// What load() says of a checkpoint with one tensor changed.
std::string refusal(const SmallEvents& small, const std::string& name,
                    const std::function<void(Tensor&)>& change) {
  PairStream pairs(options(), small.view()), other(options(), small.view());
  for (EventId event = 0; event < 50; ++event) pairs.pass(event);
  Document document;
  pairs.save(document, small.view().num_nodes);
  document = document.clone();
  for (Tensor& tensor : document.tensors) {
    if (tensor.name == name) change(tensor);
  }
  return error_of([&] { other.load(document, "some.file", 100); });
}

}  // namespace

TEST_CASE("Features of pairs know what is strictly before, not what is at the same time") {
  const SmallEvents small = drawn_events(150, 6, 15);
  const EventView events = small.view();
  PairStream pairs(options(), events);
  CHECK(rows_in_turn(pairs, events, 0, 150) == expected_rows(events, 150));
  // Something was at the same time.
  std::size_t equal = 0;
  for (EventId event = 1; event < 150; ++event) equal += events.at_same_time(event - 1, event);
  CHECK(equal > 20);
  pairs.restart();
  CHECK(rows_in_turn(pairs, events, 0, 60) == expected_rows(events, 60));
}

TEST_CASE("A history of pairs that is put back, or saved and loaded, goes on with the same bits") {
  const SmallEvents small = drawn_events(150, 6, 16);
  const EventView events = small.view();
  for (EventId stop = 70; stop < 76; ++stop) {
    PairStream pairs(options(), events), loaded(options(), events);
    rows_in_turn(pairs, events, 0, stop);
    Document document;
    pairs.save(document, events.num_nodes);
    rows_in_turn(loaded, events, 0, 140);
    loaded.load(document.clone(), "some.file", kNoEvent);
    const PairStream::Snapshot then = pairs.snapshot();
    const CandidateRows rows = rows_in_turn(pairs, events, stop, 150);
    CHECK(rows_in_turn(loaded, events, stop, 150) == rows);
    pairs.restore(then);
    CHECK(rows_in_turn(pairs, events, stop, 150) == rows);
  }
}

TEST_CASE("Events that were passed are not passed again") {
  const SmallEvents small = drawn_events(100, 6, 17);
  const EventView events = small.view();
  PairStream once(options(), events), twice(options(), events);
  for (EventId event = 0; event < 80; ++event) once.pass(event);
  for (EventId event = 0; event < 80; ++event) twice.pass(event);
  for (EventId event = 40; event < 80; ++event) twice.pass(event);
  CHECK(rows_in_turn(once, events, 80, 100) == rows_in_turn(twice, events, 80, 100));
}

TEST_CASE("Plans have the same features of pairs, whatever the batch and the memory") {
  const Variant v = stream_variant(EmbeddingKind::identity);
  StreamShape shape;
  shape.events = 120;
  const RandomStream stream(shape, v.inputs, v.options.memory_dim);
  const EventView events = stream.view();
  const CandidateRows expected = expected_rows(events, 120);
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact, MemoryMode::read}) {
    for (const std::size_t batch : {1U, 7U, 50U}) {
      ModelOnStream ours(v, stream, mode);
      PairStream pairs(options(), events);
      ours.planner->use(&pairs);
      for (std::size_t begin = 0; begin < 120; begin += batch) {
        const std::size_t end = std::min<std::size_t>(120, begin + batch);
        // Every third batch is only told of; every other one is asked about first.
        const bool asks = begin / batch % 3 != 2;
        if (asks) ours.embed(begin, end, StepKind::queries);
        const StepPlan plan = ours.plan;
        ours.embed(begin, end, StepKind::updates);
        CHECK(ours.plan.pairs.empty());
        if (!asks) continue;
        const MatrixView<const float> rows = plan.pair_rows();
        REQUIRE(rows.rows == 2 * (end - begin));
        for (std::size_t e = begin; e < end; ++e) {
          const NodeId both[] = {stream.destinations[e], stream.negatives[e]};
          for (const std::size_t k : {0U, 1U}) {
            const float* row = rows.row(2 * (e - begin) + k);
            CHECK(std::equal(row, row + rows.cols, expected[e].data() + both[k] * rows.cols));
          }
        }
      }
    }
  }
}

TEST_CASE("Checkpoints with nodes and events that the stream lacks are refused") {
  const SmallEvents small = drawn_events(100, 6, 18);
  const auto spoil = [](Tensor& tensor) {
    tensor.as<std::uint8_t>()[3] = 0x7f;  // of the first number the highest byte
  };
  const std::string unknown =
      "65 some.file: its history of pairs has nodes or events that the stream does not have, or "
      "numbers that are not finite";
  CHECK(refusal(small, "pairs.partners", spoil) == unknown);
  CHECK(refusal(small, "pairs.walks_updated", spoil) == unknown);
  CHECK(refusal(small, "pairs.walks", [](Tensor& tensor) {
          const float wild = std::numeric_limits<float>::infinity();
          std::memcpy(tensor.bytes.data(), &wild, sizeof wild);
        }) == unknown);
  CHECK(refusal(small, "pairs.now", [](Tensor& tensor) { tensor.as<EventId>()[0] = 100; }) ==
        unknown);
  CHECK(refusal(small, "pairs.walks", [](Tensor& tensor) {
          tensor.shape = {1};
        }).starts_with("65 some.file: tensor 'pairs.walks' is U8 [1], expected U8 ["));
  CHECK(refusal(small, "pairs.events", [](Tensor& tensor) {
          tensor.name = "other";
        }).find("pairs.events") != std::string::npos);
}
