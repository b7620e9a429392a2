#include "tools/tgn-train/history/time_scale.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/tools/tgn-train/memory/random_stream.h"

using namespace frugal;
using namespace frugal::tgn;

namespace {

bool every(EventId) { return true; }

/// Events of two pairs, each of which meets every `gap`.
struct Meetings {
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> times;

  Meetings(std::int64_t begin, std::int64_t gap, std::size_t events) {
    for (std::size_t e = 0; e < events; ++e) {
      sources.push_back(e % 2);
      destinations.push_back(2 + e % 2);
      times.push_back(begin + static_cast<std::int64_t>(e / 2) * gap);
    }
  }
  EventView view() const {
    return {sources, destinations, EventTimes(std::span<const std::int64_t>(times)), 4};
  }
};

}  // namespace

TEST_CASE("the unit of a stream is near the mean time between events of a node") {
  const double unit = measure_time_unit(Meetings(1000, 60, 400).view(), every);
  CHECK(unit > 60 / std::sqrt(2.0));
  CHECK(unit < 60 * std::sqrt(2.0));
}

TEST_CASE("events of one time count with the time of 0 between them") {
  // Each pair meets four times at every time, so that three of four times between events are 0.
  std::vector<NodeId> sources, destinations;
  std::vector<std::int64_t> times;
  for (std::int64_t e = 0; e < 4000; ++e) {
    sources.push_back(static_cast<NodeId>(e % 2));
    destinations.push_back(static_cast<NodeId>(2 + e % 2));
    times.push_back(e / 8 * 64);
  }
  const EventView view = {sources, destinations, EventTimes(std::span<const std::int64_t>(times)),
                          4};
  const double unit = measure_time_unit(view, every);
  CHECK(unit > 16 / std::sqrt(2.0));
  CHECK(unit < 16 * std::sqrt(2.0));
}

TEST_CASE("a stream has the same quotients in seconds and in nanoseconds of today") {
  constexpr std::int64_t kNano = 1000000000, kBegin = 1700000000;
  const Meetings seconds(kBegin, 61, 300), nanoseconds(kBegin * kNano, 61 * kNano, 300);
  const EventTimes times = seconds.view().times, fine = nanoseconds.view().times;
  const double unit = measure_time_unit(seconds.view(), every);
  const double fine_unit = measure_time_unit(nanoseconds.view(), every);
  for (EventId from = 0; from < 300; from += 7) {
    for (EventId to = from; to < 300; to += 11) {
      CHECK(times.between(from, to) / unit == fine.between(from, to) / fine_unit);
    }
  }
}

TEST_CASE("streams without a time between events count as they do") {
  CHECK(measure_time_unit(Meetings(5, 0, 10).view(), every) == 1);
  CHECK(measure_time_unit(Meetings(5, 10, 10).view(), [](EventId) { return false; }) == 1);
  const Meetings once(5, 10, 10);
  const std::vector<NodeId> sources = {0, 2}, destinations = {1, 3};
  const std::vector<std::int64_t> times = {5, 25};
  CHECK(measure_time_unit({sources, destinations, EventTimes(std::span(times)), 4}, every) == 20);
}

TEST_CASE("a stream has the same scaled times in seconds and in days") {
  constexpr std::int64_t kBegin = 1700000000;
  const Meetings seconds(kBegin, 61, 300);
  std::vector<double> days;
  for (const std::int64_t time : seconds.times) days.push_back(static_cast<double>(time) / 86400);
  const EventView coarse = {seconds.sources, seconds.destinations,
                            EventTimes(std::span<const double>(days)), 4};
  const TimeScale scale = {.unit = measure_time_unit(seconds.view(), every), .steps = 4096};
  const TimeScale of_days = {.unit = measure_time_unit(coarse, every), .steps = 4096};
  const EventTimes times = seconds.view().times;
  std::size_t others = 0;
  for (EventId from = 0; from < 300; from += 7) {
    for (EventId to = from; to < 300; to += 11) {
      const double exact = times.between(from, to) / scale.unit;
      const double scaled = scale.scaled(times.between(from, to));
      CHECK(scaled == of_days.scaled(coarse.times.between(from, to)));
      CHECK(std::abs(scaled - exact) <= 0.5 / 4096);
      others += exact != coarse.times.between(from, to) / of_days.unit ? 1 : 0;
    }
  }
  CHECK(others > 0);
  CHECK(TimeScale{.unit = 3}.scaled(1) == 1.0 / 3);
}

TEST_CASE("times since a node's last event have the mean and deviation that are measured") {
  StreamShape shape;
  shape.events = 100;
  const RandomStream s(shape, {}, 2);
  const EventTimes times = s.view().times;
  const auto counts = [](EventId e) { return e % 3 != 0; };
  TimeScale got = {.unit = 2};
  measure_since(s.view(), counts, got);
  for (const std::size_t kind : {0U, 1U}) {
    std::vector<double> all;
    for (EventId e = 0; e < s.size(); ++e) {
      if (!counts(e)) continue;
      const NodeId node = kind == 0 ? s.sources[e] : s.destinations[e];
      EventId last = kNoEvent;
      for (EventId p = 0; p < e; ++p) {
        if (counts(p) && (s.sources[p] == node || s.destinations[p] == node)) last = p;
      }
      all.push_back(times.between(last, e) / 2);
    }
    double mean = 0, variance = 0;
    for (const double x : all) mean += x / static_cast<double>(all.size());
    for (const double x : all)
      variance += (x - mean) * (x - mean) / static_cast<double>(all.size());
    CHECK(got.mean[kind] == doctest::Approx(mean));
    CHECK(got.deviation[kind] == doctest::Approx(std::sqrt(variance)));
  }
}
