#include "tools/tgn-train/steps/steps_ahead.h"

#include <doctest/doctest.h>

#include <numeric>

#include "libcore/threading/parallel.h"
#include "tests/tools/tgn-train/generated_stream.h"
#include "tests/tools/tgn-train/network/variants.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

/// What is compared of a step.
struct Seen {
  std::vector<EventId> events, updates;
  std::vector<NodeId> others, loads;
  std::vector<double> dt;
  bool operator==(const Seen&) const = default;
};

Seen seen(const PlannedStep& step) {
  Seen s{step.events, step.updates, step.others, {}, step.plan.updates.dt};
  for (const MemoryLoad& load : step.plan.loads) s.loads.push_back(load.node);
  return s;
}

/// All steps of an epoch. stops: every so many steps what was planned ahead is taken back; 0:
/// never.
std::vector<Seen> steps_of(const GeneratedStream& stream, MemoryMode mode, StepsAhead::Sizes sizes,
                           std::size_t stops) {
  TgnModel model = make_model(small_options(), {2});
  SessionOptions options;
  options.mode = mode;
  StreamSession session(model, stream.data->events(), stream.data->training_neighbors(),
                        stream.data->features(), options);
  std::vector<Seen> all;
  EpochPosition at;
  for (bool more = true; more;) {
    StepsAhead steps(*stream.data, session, *stream.negatives, 9, sizes, at);
    do {
      const PlannedStep* const step = steps.next();
      more = step != nullptr;
      if (!more) break;
      all.push_back(seen(*step));
      at = step->behind;
      if (stops != 0 && all.size() % (2 * stops) == 0) steps.rewind();
    } while (stops == 0 || all.size() % stops != 0);
  }
  return all;
}

}  // namespace

TEST_CASE("steps planned ahead are the same however often they are taken back, by any threads") {
  const GeneratedStream stream;
  const int threads = num_threads();
  for (const MemoryMode mode : {MemoryMode::window, MemoryMode::exact}) {
    const StepsAhead::Sizes sizes{7, mode == MemoryMode::window ? 7U : 21U};
    set_num_threads(1);
    const std::vector<Seen> want = steps_of(stream, mode, sizes, 1);
    for (const int n : {1, 2, 4}) {
      set_num_threads(n);
      for (const std::size_t stops : {0U, 1U, 3U}) {
        CHECK(steps_of(stream, mode, sizes, stops) == want);
      }
    }
  }
  set_num_threads(threads);
}

TEST_CASE("an epoch has every event that trains, and each becomes known with its window") {
  const GeneratedStream stream;
  std::vector<EventId> want;
  for (EventId e = 0; e < stream.data->events().size(); ++e) {
    if (stream.data->trains(e)) want.push_back(e);
  }
  for (const std::size_t window : {10U, 50U, 10000U}) {
    std::vector<EventId> asked, known;
    const std::vector<Seen> steps = steps_of(stream, MemoryMode::read, {10, window}, 2);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      asked.insert(asked.end(), steps[i].events.begin(), steps[i].events.end());
      known.insert(known.end(), steps[i].updates.begin(), steps[i].updates.end());
      const bool ends = (i + 1) % (window / 10) == 0 || i + 1 == steps.size();
      CHECK(steps[i].updates.empty() != ends);
      if (ends) CHECK(known == asked);
    }
    CHECK(asked == want);
  }
}

TEST_CASE(
    "in turn every event becomes known once, by strict ties behind all questions of its time") {
  // Training has times that steps of seven events cut.
  const GeneratedStream stream;
  const EventTimes times = stream.data->events().times;
  for (const Ties ties : {Ties::strict, Ties::order}) {
    const std::vector<Seen> steps = steps_of(stream, MemoryMode::window, {7, 7, ties}, 3);
    std::vector<EventId> asked, known;
    std::size_t cut = 0;
    for (const Seen& step : steps) {
      if (!step.events.empty()) {
        const EventId front = step.events.front();
        cut += !asked.empty() && times.between(asked.back(), front) == 0;
        for (const EventId event : known) CHECK(event < known_before(times, front, ties));
      }
      asked.insert(asked.end(), step.events.begin(), step.events.end());
      known.insert(known.end(), step.updates.begin(), step.updates.end());
      CHECK(known.size() <= asked.size());
    }
    CHECK(cut > 3);
    CHECK(known == asked);
  }
}

TEST_CASE("of a time with very many events not all become known in one step") {
  const std::size_t many = 3 * WaitingEvents::kMany;
  std::vector<std::int64_t> at(many + 10, 5);
  std::fill(at.begin() + static_cast<std::ptrdiff_t>(many), at.end(), std::int64_t{6});
  const EventTimes times{std::span<const std::int64_t>(at)};
  std::vector<EventId> events(many + 10);
  std::iota(events.begin(), events.end(), EventId{0});
  WaitingEvents waiting(times, Ties::strict);
  waiting.add(std::span(events).first(many));
  const auto last = static_cast<EventId>(many - 1), next = static_cast<EventId>(many);
  CHECK(waiting.take(last, next).empty());
  std::size_t parts = 0;
  for (; waiting.is_backlog(next); ++parts) {
    CHECK(waiting.take_backlog(next).size() == WaitingEvents::kMany);
  }
  CHECK(parts == 2);
  waiting.add(std::span(events).subspan(many));
  // What is left becomes known to the next time's events, and these wait.
  CHECK(waiting.take(next, next + 1).size() == WaitingEvents::kMany);
  CHECK(waiting.size() == 10);
  CHECK(waiting.take_all().size() == 10);
}
